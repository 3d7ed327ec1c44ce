// Git on two machines: they share a PostgreSQL database and an S3 storage, and no directory.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createClient } from '@svc/contract/client'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { eventually } from '@svc/server/dist/testing/eventually.js'
import { WorkingCopy } from '@svc/server/dist/testing/git.js'
import { freshPostgres } from '@svc/server/dist/testing/postgres.js'
import { S3Server } from '@svc/server/dist/testing/s3-server.js'
import { expect, onTestFinished, test } from 'vitest'
import { Machine, type Svcd } from './svcd.ts'

/** The arguments of `svcd start` on each machine. */
async function startTwo(...args: [string[], string[]] | []) {
  const database = await freshPostgres()
  const s3 = await S3Server.start()
  const shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_STORAGE_URL: s3.storageUrl,
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
    await s3.stop()
  })
  for (const [i, machine] of places.entries()) programs.push(await machine.start(...(args[i] ?? [])))
  const token = await places[0].token('ada')
  const nodeIds = await Promise.all(
    places.map(async ({ dataDir }) => (await readFile(path.join(dataDir, 'node-id'), 'utf8')).trim()),
  )
  const clientOf = (index: number) =>
    createClient({ baseUrl: `http://127.0.0.1:${programs[index]?.port}`, token })

  const copyOf = async (index: number, name: string): Promise<WorkingCopy> => {
    const copy = await WorkingCopy.of(
      `http://git:${token}@127.0.0.1:${programs[index]?.port}/git/ada/${name}.git`,
    )
    onTestFinished(() => copy.remove())
    return copy
  }

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
    async push(index: number, name: string): Promise<void> {
      const copy = await copyOf(index, name)
      await copy.commit({ 'index.html': `hello from ${name}` })
      const pushed = await copy.git('push', 'origin', 'main')
      if (pushed.code !== 0) throw new Error(pushed.stderr)
    },
    copyOf,
    s3,
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
    async restart(index: 0 | 1): Promise<void> {
      programs[index] = await places[index].start(...(args[index] ?? []))
    },
    async visit(index: number, name: string): Promise<string> {
      const { port } = programs[index]!
      const headers = { host: `${name}.localhost:${port}` }
      return await new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, headers }, res => text(res).then(resolve, reject)).on('error', reject)
      })
    },
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

test('a push to a machine without a builder is built on the other one, and served by the first', async () => {
  const nodes = await startTwo(['--role', 'api,edge,worker'], ['--role', 'api,edge,builder'])
  await nodes.makeProject('site', 'echo begun')
  await nodes.push(0, 'site')
  for (const index of [0, 1])
    await eventually(async () => (await nodes.visit(index, 'site')) === 'hello from site')
})

test('a machine that is killed while it takes a push leaves the branch as it was or as it was pushed, for all', async () => {
  const nodes = await startTwo()
  const refs = async (index: number) =>
    (await (await nodes.copyOf(index, 'site')).git('ls-remote', 'origin', 'refs/heads/*')).stdout
  const copy = await nodes.copyOf(0, 'site')
  const first = await copy.commit({ 'index.html': 'first' })
  expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })

  // The objects never reach the storage.
  await copy.commit({ 'index.html': 'second' })
  let isSending = false
  nodes.s3.mishap = call => {
    if (call.method !== 'PUT' || !call.key.includes('/git/')) return undefined
    isSending = true
    return 'hang'
  }
  const interrupted = copy.git('push', 'origin', 'main')
  await eventually(async () => isSending)
  await nodes.kill(0)
  expect((await interrupted).code).not.toBe(0)
  nodes.s3.mishap = () => undefined
  expect(await refs(1)).toBe(`${first}\trefs/heads/main\n`)

  // The other machine goes on, and the killed one follows when it is back.
  const other = await nodes.copyOf(1, 'site')
  await other.git('pull', 'origin', 'main')
  const third = await other.commit({ 'index.html': 'third' })
  expect(await other.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  await nodes.restart(0)
  expect(await refs(0)).toBe(`${third}\trefs/heads/main\n`)

  // Killed as soon as the row is there: whatever the client was told, the push is there.
  const back = await nodes.copyOf(0, 'site')
  await back.git('pull', 'origin', 'main')
  const fourth = await back.commit({ 'index.html': 'fourth' })
  const late = back.git('push', 'origin', 'main')
  const row = () => nodes.store.db.selectFrom('repository_refs').select('sha').executeTakeFirstOrThrow()
  await eventually(async () => (await row()).sha === fourth)
  await nodes.kill(0)
  await late
  expect(await refs(1)).toBe(`${fourth}\trefs/heads/main\n`)
  await nodes.restart(0)
  expect(await refs(0)).toBe(`${fourth}\trefs/heads/main\n`)
  expect(await (await nodes.copyOf(0, 'site')).git('fetch', 'origin')).toMatchObject({ code: 0 })
})

test('pushes to one branch by many clients at two machines are taken one after another, and none is lost', async () => {
  const nodes = await startTwo()
  const clients = await Promise.all([0, 1, 0, 1].map(index => nodes.copyOf(index, 'site')))
  await clients[0]!.commit({ start: 'start' })
  await clients[0]!.git('push', 'origin', 'main')
  const rounds = 3
  await Promise.all(
    clients.map(async (copy, i) => {
      await copy.git('pull', 'origin', 'main')
      for (let round = 0; round < rounds; round++) {
        await copy.commit({ [`${i}-${round}`]: 'x' }, `${i}-${round}`)
        while ((await copy.git('push', 'origin', 'HEAD:main')).code !== 0)
          expect(await copy.git('pull', '--rebase', 'origin', 'main')).toMatchObject({ code: 0 })
      }
    }),
  )
  for (const index of [0, 1]) {
    const copy = await nodes.copyOf(index, 'site')
    await copy.git('pull', 'origin', 'main')
    const subjects = (await copy.git('log', '--format=%s', '--reverse')).stdout.trim().split('\n').slice(1)
    const expected = clients.flatMap((_, i) => Array.from({ length: rounds }, (_, round) => `${i}-${round}`))
    expect(subjects.sort()).toEqual(expected.sort())
  }
})
