// Kills the server with SIGKILL in the middle of uploads, rollbacks and deletions: what it had acknowledged stays,
// what it had not leaves no trace but a `failed` record.
import { randomBytes, randomInt } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@svc/contract/client'
import { archiveOf } from '@svc/server/dist/testing/archives.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'
import { visit } from './visit.ts'

const rounds = 4
const projects = ['crash-one', 'crash-two', 'crash-three']
/** Steps of one project's work in a round; a project shows its 20 most recent deployments. */
const stepsPerRound = 4

/** What the server has told us about a project, which it may never take back. */
interface Ledger {
  contents: Map<string, Buffer>
  deleted: Set<string>
  active: string | undefined
  /** The deployment of an activation or deletion whose answer never came. */
  pending: string | undefined
}

describe.each(['sqlite', 'postgres'])('on %s', engine => {
  test('nothing acknowledged is lost and nothing half-done stays, however often the server is killed', async () => {
    const database = engine === 'postgres' ? await freshPostgres() : undefined
    const machine = await Machine.make(database && { SVCD_DATABASE_URL: database.url })
    let svcd: Svcd | undefined
    onTestFinished(async () => {
      await svcd?.stop('SIGKILL')
      await machine.remove()
      await database?.drop()
    })
    svcd = await machine.start()
    const token = await machine.token('ada')
    const ledgers = new Map<string, Ledger>()
    for (const name of [...projects, 'half-sent']) {
      await clientOf(svcd, token)('POST /projects', { body: { name } })
      ledgers.set(name, { contents: new Map(), deleted: new Set(), active: undefined, pending: undefined })
    }

    for (let round = 1; round <= rounds; round++) {
      await workUntilKilled(svcd, token, ledgers)
      // Without the worker, so that the files are only those that the crash left and the start kept.
      svcd = await machine.start('--role', 'api,edge')
      for (const [name, ledger] of ledgers) await checkProject(svcd, token, name, ledger)
      await checkFiles(machine, svcd, token)
      expect(await svcd.stop()).toBe(0)
      svcd = await machine.start()
    }
    const { deployments } = await clientOf(svcd, token)('GET /projects/:name', {
      params: { name: 'half-sent' },
    })
    expect(deployments.map(({ status }) => status)).toEqual(Array(rounds).fill('failed'))
  }, 300_000)
})

async function workUntilKilled(svcd: Svcd, token: string, ledgers: Map<string, Ledger>): Promise<void> {
  const killAfter = randomInt(1, projects.length * stepsPerRound)
  let steps = 0
  const stepDone = async () => {
    if (++steps !== killAfter) return
    // Somewhere in the next steps, wherever that is.
    await sleep(randomInt(0, 60))
    svcd.child.kill('SIGKILL')
  }
  await beginUpload(svcd, token, 'half-sent')
  await Promise.allSettled(projects.map(name => work(svcd, token, name, ledgers.get(name)!, stepDone)))
  await svcd.stop('SIGKILL')
}

/** Uploads, rolls back and deletes, and writes down every answer. Ends by throwing when the server is gone. */
async function work(svcd: Svcd, token: string, name: string, ledger: Ledger, stepDone: () => Promise<void>) {
  const call = clientOf(svcd, token)
  for (let step = 0; step < stepsPerRound; step++) {
    const earlier = [...ledger.contents.keys()].find(id => id !== ledger.active)
    if (step === 2 && earlier !== undefined) {
      ledger.pending = earlier
      await call('POST /projects/:name/deployments/:id/activate', { params: { name, id: earlier } })
      ledger.active = earlier
    } else if (step === 3 && earlier !== undefined) {
      ledger.pending = earlier
      await call('DELETE /projects/:name/deployments/:id', { params: { name, id: earlier } })
      ledger.contents.delete(earlier)
      ledger.deleted.add(earlier)
    } else {
      const content = randomBytes(randomInt(1, 2_000_000))
      const id = await upload(svcd, token, name, content)
      ledger.contents.set(id, content)
      ledger.active = id
    }
    ledger.pending = undefined
    await stepDone()
  }
}

async function checkProject(svcd: Svcd, token: string, name: string, ledger: Ledger): Promise<void> {
  const project = await clientOf(svcd, token)('GET /projects/:name', { params: { name } })
  const statusOf = new Map(project.deployments.map(({ id, status }) => [id, status]))
  const at = (status: string) => [...statusOf].filter(([, each]) => each === status).map(([id]) => id)
  expect(at('uploading')).toEqual([])
  expect(at('live')).toEqual(project.active_deployment_id === null ? [] : [project.active_deployment_id])

  // An answer may have been lost, so the work under way at the end may have happened, whole, or not at all.
  const acknowledged = ledger.contents.has(project.active_deployment_id ?? '')
  if (acknowledged) expect([ledger.active, ledger.pending]).toContain(project.active_deployment_id)
  if (ledger.pending !== undefined && !statusOf.has(ledger.pending)) ledger.contents.delete(ledger.pending)
  ledger.pending = undefined
  ledger.active = project.active_deployment_id ?? undefined

  for (const [id, content] of ledger.contents) {
    expect(statusOf.get(id)).toBe(id === ledger.active ? 'live' : 'superseded')
    const page = await visit(siteUrl(svcd, `${id.replace('_', '-')}--${name}`), '/data.bin')
    expect(page.status).toBe(200)
    expect(page.body.equals(content)).toBe(true)
  }
  for (const id of ledger.deleted) expect(statusOf.has(id)).toBe(false)
  if (acknowledged) {
    const page = await visit(siteUrl(svcd, name), '/data.bin')
    expect(page.body.equals(ledger.contents.get(ledger.active ?? '')!)).toBe(true)
  }
}

/** Every file belongs to a deployment that can be served, and every such deployment has its file. */
async function checkFiles(machine: Machine, svcd: Svcd, token: string): Promise<void> {
  const names = [...projects, 'half-sent']
  const details = await Promise.all(
    names.map(name => clientOf(svcd, token)('GET /projects/:name', { params: { name } })),
  )
  const stored = details
    .flatMap(({ deployments }) => deployments)
    .filter(({ status }) => status === 'live' || status === 'superseded')
  const list = () => readdir(path.join(machine.dataDir, 'packs')).catch(() => [])
  // Beside them lies the mark of whose they are. Variants, which end in `.z`, may be written at any time.
  const packsAmong = (files: string[]) =>
    files.filter(file => !file.includes('.z.') && file !== 'owner').sort()
  // The server removes what the crash left while it serves already.
  await expect.poll(async () => packsAmong(await list())).toEqual(stored.map(({ id }) => `${id}.pack`).sort())
  await expect
    .poll(async () => {
      const files = await list()
      const variants = files.filter(file => file.endsWith('.z.pack')).map(file => file.replace('.z', ''))
      return variants.filter(file => !packsAmong(files).includes(file))
    })
    .toEqual([])
}

async function upload(svcd: Svcd, token: string, name: string, content: Buffer): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${svcd.port}/projects/${name}/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(archiveOf({ 'index.html': name, 'data.bin': content })),
  })
  expect(response.status).toBe(201)
  const { deployment_id } = (await response.json()) as { deployment_id: string }
  return deployment_id
}

/** Sends the first half of an archive and leaves it at that; the server has begun to store it when this resolves. */
async function beginUpload(svcd: Svcd, token: string, name: string): Promise<void> {
  const archive = archiveOf({ 'data.bin': randomBytes(500_000) })
  const sending = request(`http://127.0.0.1:${svcd.port}/projects/${name}/deployments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/gzip',
      'content-length': archive.length,
    },
  })
  // The server is about to be killed.
  sending.on('error', () => undefined)
  sending.write(archive.subarray(0, archive.length / 2))
  const call = clientOf(svcd, token)
  const isBegun = async () =>
    (await call('GET /projects/:name', { params: { name } })).deployments[0]?.status === 'uploading'
  while (!(await isBegun())) await sleep(10)
}

const clientOf = (svcd: Svcd, token: string): Client =>
  createClient({ baseUrl: `http://127.0.0.1:${svcd.port}`, token })

const siteUrl = (svcd: Svcd, label: string): string => `http://${label}.localhost:${svcd.port}`
