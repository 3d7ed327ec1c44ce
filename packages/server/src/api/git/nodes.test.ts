import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeOrphanedRepositories } from '../../core/builds/repositories.ts'
import { eventually } from '../../testing/eventually.ts'
import { WorkingCopy } from '../../testing/git.ts'
import { migratedPostgres } from '../../testing/postgres.ts'
import { S3Server } from '../../testing/s3-server.ts'
import { send } from '../../testing/send.ts'
import { TestServer } from '../../testing/server.ts'

const ends: (() => Promise<unknown>)[] = []
let s3: S3Server
let shared: Record<string, string>
let here: TestServer
let there: TestServer
let owner: Awaited<ReturnType<TestServer['account']>>

beforeEach(async () => {
  s3 = await S3Server.start()
  const database = await migratedPostgres()
  shared = {
    SVCD_DATABASE_URL: database.url,
    SVCD_SECRET_KEY: randomBytes(32).toString('base64'),
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_GIT_REPOSITORY_BYTES: String(1024 * 1024),
    SVCD_LOG_LEVEL: 'silent',
  }
  ends.push(
    () => s3.stop(),
    () => database.drop(),
  )
  here = await startNode()
  there = await startNode()
  owner = await here.account()
}, 60_000)

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function startNode(extra = {}): Promise<TestServer> {
  const node = await TestServer.start('sqlite', { ...shared, ...extra })
  ends.push(() => node.remove())
  return node
}

async function copyOf(node: TestServer, repo = 'site'): Promise<WorkingCopy> {
  const copy = await WorkingCopy.make(node, owner.token, `${owner.login}/${repo}`)
  ends.push(() => copy.remove())
  return copy
}

const gitObjects = () => [...s3.objects.keys()].filter(key => key.includes('/git/'))

test('a push to one node is fetched from the other one, and the other way round', async () => {
  const one = await copyOf(here)
  const first = await one.commit({ 'index.html': 'one' })
  expect(await one.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  const other = await copyOf(there)
  expect(await other.git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
  expect((await other.git('rev-parse', 'HEAD')).stdout.trim()).toBe(first)
  const second = await other.commit({ 'index.html': 'two' })
  expect(await other.git('push', 'origin', 'main', 'main:refs/tags/v1')).toMatchObject({ code: 0 })
  expect((await one.git('ls-remote', 'origin')).stdout).toContain(`${second}\trefs/tags/v1`)
  expect(await one.git('push', 'origin', '--delete', 'v1')).toMatchObject({ code: 0 })
  expect((await other.git('ls-remote', 'origin')).stdout).not.toContain('v1')
  const stale = await one.commit({ 'index.html': 'three' })
  const refused = await one.git('push', 'origin', 'main')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('fetch first') })
  expect(await one.git('push', '--force', 'origin', 'main')).toMatchObject({ code: 0 })
  expect((await other.git('ls-remote', 'origin', 'main')).stdout).toContain(stale)
})

test('of concurrent pushes to one branch at two nodes exactly one is taken', async () => {
  const one = await copyOf(here)
  await one.commit({ 'index.html': 'start' })
  await one.git('push', 'origin', 'main')
  for (let round = 0; round < 3; round++) {
    const copies = [one, await copyOf(there)] as const
    await copies[1].git('pull', 'origin', 'main')
    await one.git('pull', 'origin', 'main')
    const tips = await Promise.all(copies.map((copy, i) => copy.commit({ [`${round}-${i}`]: 'x' })))
    const pushes = await Promise.all(copies.map(copy => copy.git('push', 'origin', 'main')))
    const main = (await one.git('ls-remote', 'origin', 'refs/heads/main')).stdout.split('\t')[0] ?? ''
    expect(tips).toContain(main)
    const winner = tips.indexOf(main)
    expect(pushes[winner]).toMatchObject({ code: 0 })
    expect(pushes[1 - winner]).toMatchObject({ code: 1, stderr: expect.stringMatching(/rejected/) })
    await copies[1 - winner]?.git('reset', '--hard', 'HEAD~1')
  }
})

test('concurrent pushes to different branches at two nodes are all taken', async () => {
  const copies = await Promise.all([here, there, here, there].map(node => copyOf(node)))
  for (const copy of copies) await copy.commit({ 'index.html': copy.dir })
  const pushes = await Promise.all(copies.map((copy, i) => copy.git('push', 'origin', `main:branch-${i}`)))
  expect(pushes.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  const listed = (await (await copyOf(there)).git('ls-remote', 'origin', 'refs/heads/*')).stdout
  expect(listed.trim().split('\n')).toHaveLength(4)
})

test('a push whose objects do not reach the storage is refused, and changes nothing', async () => {
  const copy = await copyOf(here)
  await copy.commit({ 'index.html': 'one' })
  s3.mishap = call => (call.method === 'PUT' && call.key.includes('/git/') ? 503 : undefined)
  expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 1 })
  expect((await copy.git('ls-remote', 'origin')).stdout).toBe('')
  s3.mishap = () => undefined
  expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  expect((await (await copyOf(there)).git('ls-remote', 'origin')).stdout).toContain('refs/heads/main')
})

test('the copy of a node may be lost or damaged', async () => {
  const copy = await copyOf(here)
  await copy.commit({ 'index.html': 'one' })
  await copy.git('push', 'origin', 'main')
  const [id = ''] = await here.running.platform.repos.list()
  const dir = path.join(here.dataDir, 'git', `${id}.git`)
  await rm(dir, { recursive: true })
  const other = await copyOf(here)
  expect(await other.git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
  await rm(path.join(dir, 'refs'), { recursive: true })
  await other.commit({ 'index.html': 'two' })
  const elsewhere = await WorkingCopy.make(there, owner.token, `${owner.login}/site`)
  ends.push(() => elsewhere.remove())
  await elsewhere.git('pull', other.dir, 'main')
  expect(await elsewhere.git('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
  expect((await copy.git('ls-remote', 'origin')).stdout).toContain('refs/heads/main')
})

test('git is told what it would say itself: names that exclude each other, and branches that are no commits', async () => {
  const copy = await copyOf(here)
  await copy.commit({ 'index.html': 'one' })
  await copy.git('push', 'origin', 'main:refs/heads/a')
  const clash = await copy.git('push', 'origin', 'main:refs/heads/a/b')
  expect(clash).toMatchObject({ code: 1, stderr: expect.stringContaining('refs/heads/a') })
  const tree = (await copy.git('rev-parse', 'HEAD^{tree}')).stdout.trim()
  expect(await copy.git('push', 'origin', `${tree}:refs/heads/tree`)).toMatchObject({ code: 1 })
  expect((await (await copyOf(there)).git('ls-remote', 'origin', 'refs/*')).stdout.split('\n')).toHaveLength(
    2,
  )
})

test('many pushes are put together, and unused objects leave the storage later', async () => {
  const copy = await copyOf(here)
  for (let i = 0; i < 22; i++) {
    await copy.commit({ [`${i}.txt`]: `${i}` })
    expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  }
  const [id = ''] = await here.running.platform.repos.list()
  const rows = () =>
    here.running.platform.store.db
      .selectFrom('repository_packs')
      .select('status')
      .where('status', '=', 'live')
      .execute()
  await eventually(async () => (await rows()).length < 5)
  const clone = await copyOf(there)
  expect(await clone.git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
  expect((await clone.git('rev-list', '--count', 'HEAD')).stdout.trim()).toBe('22')
  here.clock.advance(2 * 3_600_000)
  await here.running.platform.repos.tidy(id)
  expect(gitObjects()).toHaveLength((await rows()).length)
})

test('a full repository drops what no branch leads to, at every node', async () => {
  const copy = await copyOf(here)
  await copy.commit({ large: randomBytes(700_000) })
  await copy.git('push', 'origin', 'main')
  await (await copyOf(there)).git('pull', 'origin', 'main')
  await copy.git('checkout', '--orphan', 'fresh')
  await copy.commit({ large: randomBytes(700_000) })
  const full = await copy.git('push', 'origin', 'fresh')
  expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('The repository is full') })
  expect(await copy.git('push', '--force', 'origin', 'fresh:main')).toMatchObject({ code: 0 })
  const [id = ''] = await here.running.platform.repos.list()
  await eventually(async () => (await there.running.platform.repos.size(id)) < 1024 * 1024)
  const clone = await copyOf(there)
  expect(await clone.git('pull', 'origin', 'main')).toMatchObject({ code: 0 })
  expect(await clone.git('fsck', '--full')).toMatchObject({ code: 0 })
})

test('a deleted repository leaves the storage and the disks of all nodes', async () => {
  const copy = await copyOf(here)
  await copy.commit({ 'index.html': 'one' })
  await copy.git('push', 'origin', 'main')
  await (await copyOf(there)).git('pull', 'origin', 'main')
  const copies = (node: TestServer) => readdir(path.join(node.dataDir, 'git'))
  expect(await copies(there)).toContainEqual(expect.stringMatching(/\.git$/))
  expect((await send(here, `DELETE /repos/${owner.login}/site`, owner)).status).toBe(200)
  expect(gitObjects()).toEqual([])
  for (let time = 0; time < 2; time++) await removeOrphanedRepositories(there.running.platform)
  for (const node of [here, there])
    expect(await copies(node)).not.toContainEqual(expect.stringMatching(/\.git$/))
})

test('a repository from the disk of a single machine is copied to the storage when that starts', async () => {
  const single = await startNode({ SVCD_STORAGE_URL: '' })
  const copy = await copyOf(single, 'old')
  const tip = await copy.commit({ 'index.html': 'old' })
  expect(await copy.git('push', 'origin', 'main')).toMatchObject({ code: 0 })
  const fetched = async () => (await copyOf(there, 'old')).git('ls-remote', 'origin')
  expect(await fetched()).toMatchObject({ code: 128, stderr: expect.stringContaining('503') })
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-git-'))
  ends.push(() => rm(dataDir, { recursive: true, force: true }))
  await cp(path.join(single.dataDir, 'git'), path.join(dataDir, 'git'), { recursive: true })
  await startNode({ SVCD_DATA_DIR: dataDir })
  await eventually(async () => (await fetched()).stdout.includes(tip))
})
