// Git builds by two programs on one PostgreSQL database, which share their repositories and packs as two machines would.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@svc/contract/client'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

const run = promisify(execFile)

async function startTwo() {
  const database = await freshPostgres()
  const shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_BUILDS_AT_ONCE: '2',
  }
  const places = [await Machine.make(shared), await Machine.make(shared)] as const
  const programs: Svcd[] = []
  const store = await openPostgres(database.url, () => undefined)
  onTestFinished(async () => {
    for (const svcd of programs) await svcd.stop('SIGKILL')
    for (const machine of places) await machine.remove()
    await store.close()
    await database.drop()
  })
  programs.push(await places[0].start())
  for (const folder of ['git', 'packs'])
    await symlink(path.join(places[0].dataDir, folder), path.join(places[1].dataDir, folder))
  programs.push(await places[1].start())
  const token = await places[0].token('ada')
  const nodeIds = await Promise.all(
    places.map(async ({ dataDir }) => (await readFile(path.join(dataDir, 'node-id'), 'utf8')).trim()),
  )
  const clientOf = (index: number) =>
    createClient({ baseUrl: `http://127.0.0.1:${programs[index]?.port}`, token })

  return {
    store,
    nodeIds,
    clientOf,
    async makeProject(name: string, build_cmd: string): Promise<void> {
      await clientOf(0)('POST /projects', { body: { name } })
      const body = { repo: `ada/${name}`, install_cmd: 'true', build_cmd, output_dir: '.' }
      await clientOf(0)('POST /projects/:name/repo', { params: { name }, body })
    },
    /** To the program at the index. It answers when the build has ended, or fails when the program does. */
    push: (index: number, name: string) =>
      pushPage(`http://git:${token}@127.0.0.1:${programs[index]?.port}/git/ada/${name}.git`),
    async begun(index: number, name: string): Promise<number> {
      const { id } =
        (await clientOf(index)('GET /projects/:name/builds', { params: { name } })).builds[0] ?? {}
      const url = `http://127.0.0.1:${programs[index]?.port}/projects/${name}/builds/${id}/log`
      const log = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()
      return log.split('\n').filter(line => line === 'begun').length
    },
    async kill(index: number): Promise<void> {
      await programs[index]?.stop('SIGKILL')
    },
  }
}

async function pushPage(remote: string): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-nodes-'))
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' },
    })
  try {
    await git('init', '--quiet', '--initial-branch=main')
    await writeFile(path.join(dir, 'index.html'), 'hello')
    await git('add', '--all')
    await git('commit', '--quiet', '-m', 'hello')
    await git('push', remote, 'main')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test('two programs on one database run every build once', async () => {
  const nodes = await startTwo()
  const names = Array.from({ length: 4 }, (_, i) => `shared-${i}`)
  for (const name of names) await nodes.makeProject(name, 'echo begun')
  await Promise.all(names.map((name, i) => nodes.push(i % 2, name)))
  for (const name of names) {
    const { builds } = await nodes.clientOf(0)('GET /projects/:name/builds', { params: { name } })
    expect(builds.map(build => build.status)).toEqual(['succeeded'])
    expect(await nodes.begun(1, name)).toBe(1)
  }
  const attempts = await nodes.store.db.selectFrom('builds').select('attempts').execute()
  expect(attempts.map(row => row.attempts)).toEqual(names.map(() => 1))
})

test('the build of a program that is killed is taken up once by the other one', async () => {
  const nodes = await startTwo()
  const name = 'killed'
  await nodes.makeProject(name, 'echo begun; sleep 600')
  const buildRow = () => nodes.store.db.selectFrom('builds').selectAll().executeTakeFirstOrThrow()
  // The push waits for its build, and ends with the program that it went to.
  const pushing = nodes.push(0, name).catch(() => undefined)
  await eventually(async () => (await nodes.begun(0, name)) === 1)
  const victim = nodes.nodeIds.indexOf((await buildRow()).node_id ?? '')
  const survivor = 1 - victim
  await nodes.kill(victim)
  // So that nobody waits until the lease runs out by itself.
  await nodes.store.db.updateTable('builds').set({ lease_until: 1 }).execute()
  await eventually(async () => (await nodes.begun(survivor, name)) === 2)
  expect(await buildRow()).toMatchObject({
    status: 'building',
    attempts: 2,
    node_id: nodes.nodeIds[survivor],
  })
  const { id } = await buildRow()
  await nodes.clientOf(survivor)('POST /projects/:name/builds/:id/cancel', { params: { name, id } })
  await eventually(async () => (await buildRow()).status === 'cancelled')
  expect(await nodes.begun(survivor, name)).toBe(2)
  await nodes.kill(survivor)
  await pushing
})
