import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Platform } from '../core/base/platform.ts'
import type { SiteRequest } from '../ports/site-call/port.ts'
import { insertCron } from '../store/crons/crons.ts'
import { eventually } from '../testing/eventually.ts'
import { onEveryServer, TestServer } from '../testing/server.ts'
import { startCrons } from './crons.ts'

/** A project with jobs that are all due at `dueAt`, and then not for years. */
async function newJobs(server: TestServer, count: number, dueAt: number | null): Promise<string> {
  const { token } = await server.account()
  const name = `jobs-${randomBytes(6).toString('hex')}`
  const { id } = await server.client(token)('POST /projects', { body: { name } })
  const { store } = server.running.platform
  const job = { project_id: id, path: '/', method: 'GET', enabled: 1, created_at: 0, next_run_at: dueAt }
  await store.transact(async tx => {
    for (let i = 0; i < count; i++)
      await insertCron(tx, {
        ...job,
        id: `cron_${randomBytes(8).toString('hex')}`,
        schedule: '0 0 29 2 *',
        running: null,
        running_until: null,
      })
  })
  return name
}

onEveryServer(server => {
  it('hanging jobs of one project do not delay those of others', async () => {
    const dueAt = Date.UTC(2099, 0, 1)
    const slow = await newJobs(server(), 300, dueAt)
    const quick = await newJobs(server(), 50, dueAt)
    const begun = { [slow]: 0, [quick]: 0 }
    const callSite = ({ project }: SiteRequest, signal: AbortSignal) =>
      new Promise<number>((resolve, reject) => {
        begun[project] = (begun[project] ?? 0) + 1
        if (project === quick) resolve(200)
        else signal.addEventListener('abort', () => reject(signal.reason))
      })
    const clock = { now: () => dueAt, timeout: () => new AbortController().signal }
    const worker: Platform = { ...server().running.platform, clock, callSite }
    const crons = startCrons(worker, pino({ level: 'silent' }))
    await eventually(async () => begun[quick] === 50)
    await crons.stop()
    expect(begun[slow]).toBeLessThan(300)
  })
})

it('each due job is run by exactly one of two programs on one database', async () => {
  const SVCD_SECRET_KEY = randomBytes(32).toString('base64')
  const server = await TestServer.start('postgres', { SVCD_SECRET_KEY })
  onTestFinished(() => server.remove())
  const other = await startWorker({ ...server.environment, SVCD_SECRET_KEY })
  const jobs = 40
  await newJobs(server, jobs, null)
  const { db } = server.running.platform.store
  await db.transaction().execute(async tx => {
    await sql`lock table crons in access exclusive mode`.execute(tx)
    await tx
      .updateTable('crons')
      .set({ next_run_at: server.clock.now() - 1 })
      .execute()
    // Block both programs at their next query and release them together, so that they see the same jobs.
    await eventually(async () => {
      const waiting = sql<{ n: string }>`select count(*) as n from pg_locks
          where relation = 'crons'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`
      return Number((await waiting.execute(tx)).rows[0]?.n) >= 2
    })
  })
  const allDone = async () => {
    const { rows } = await sql`select id from crons
      where running is not null or next_run_at <= ${server.clock.now()}`.execute(db)
    return rows.length === 0
  }
  await eventually(allDone)
  await other.stop()
  await eventually(allDone)
  const runs = await db.selectFrom('cron_runs').select(['cron_id', 'status', 'error']).execute()
  expect(new Set(runs.map(run => run.cron_id)).size).toBe(jobs)
  expect(runs).toHaveLength(jobs)
  expect(runs.filter(run => run.status !== 404)).toEqual([])
})

/** Starts svcd as a separate process that runs scheduled jobs through its own edge. */
async function startWorker(environment: Record<string, string>): Promise<{ stop(): Promise<void> }> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-worker-'))
  const program = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))
  const child = spawn(process.execPath, [program, 'start', '--role', 'edge,worker'], {
    env: { PATH: process.env.PATH ?? '', ...environment, SVCD_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await gone
  }
  onTestFinished(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  await once(createInterface(child.stdout), 'line')
  return { stop }
}
