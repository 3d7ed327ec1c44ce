import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { recover } from '../core/platform/recovery.ts'
import { archiveOf } from '../testing/archives.ts'
import { S3Server } from '../testing/s3-server.ts'
import { TestServer } from '../testing/server.ts'

async function setUp() {
  const s3 = await S3Server.start()
  const server = await TestServer.start('sqlite', {
    SVCD_STORAGE_URL: s3.storageUrl,
    SVCD_LOG_LEVEL: 'silent',
  })
  onTestFinished(async () => {
    await server.remove()
    await s3.stop()
  })
  const { token } = await server.account()
  await server.request('/projects', { method: 'POST', token, body: { name: 'shop' } })
  const deploy = async (files: Record<string, string | Buffer>) =>
    server.upload(token, 'shop', archiveOf(files))
  const statuses = async () =>
    (await server.request('/projects/shop', { token })).json.deployments.map(
      (d: { status: string }) => d.status,
    )
  return { s3, server, token, deploy, statuses }
}

/** Large enough that its pack is uploaded in parts. */
const large = randomBytes(12 * 1024 * 1024)

async function until(done: () => Promise<boolean>) {
  while (!(await done())) await new Promise(resolve => setTimeout(resolve, 20))
}

test('deploy, serve, roll back and delete work on S3, and nothing is kept on the disk but copies', async () => {
  const { s3, server, token, deploy } = await setUp()
  const first = (await deploy({ 'index.html': 'one', 'large.bin': large })).json.deployment_id
  expect((await server.site('shop')).text).toBe('one')
  expect((await server.site('shop', '/large.bin')).body.equals(large)).toBe(true)
  const second = (await deploy({ 'index.html': 'two' })).json.deployment_id
  expect((await server.site('shop')).text).toBe('two')

  const rollback = await server.request(`/projects/shop/deployments/${first}/activate`, {
    method: 'POST',
    token,
  })
  expect(rollback.status).toBe(200)
  expect((await server.site('shop')).text).toBe('one')

  const removed = await server.request(`/projects/shop/deployments/${second}`, { method: 'DELETE', token })
  expect(removed.status).toBe(200)
  expect(s3.objects.has(`deep/er/${first}.pack`)).toBe(true)
  expect(s3.objects.has(`deep/er/${second}.pack`)).toBe(false)
  expect(await readdir(server.dataDir)).not.toContain('packs')
})

test('a store that goes away in mid-upload fails it cleanly, and the next start removes what it left', async () => {
  const { s3, server, deploy, statuses } = await setUp()
  await deploy({ 'index.html': 'one' })
  s3.mishap = call =>
    call.query.get('partNumber') === '2' || call.query.has('uploadId') ? 'drop' : undefined
  const answer = await deploy({ 'index.html': 'two', 'large.bin': large })
  expect(answer).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } })
  expect(answer.json.error.message).toContain('Nothing was published')
  expect(await statuses()).toEqual(['failed', 'live'])
  expect((await server.site('shop')).text).toBe('one')

  s3.mishap = () => undefined
  await recover(server.running.platform)
  expect(s3.uploads.size).toBe(0)
  expect((await deploy({ 'index.html': 'two', 'large.bin': large })).status).toBe(201)
})

test.each(['hang', 500] as const)(
  'reads that the store answers with %s are a 503 page, until it is back',
  async mishap => {
    const { s3, server, deploy } = await setUp()
    // Copies begin at the first byte; without them every page comes from the store.
    const isCopy = (range = '') => range.startsWith('bytes=0-')
    s3.mishap = call => (isCopy(call.headers.range) ? 500 : undefined)
    await deploy({ 'a.bin': large.subarray(0, 300_000), 'index.html': 'home' })
    s3.mishap = call => (call.method === 'GET' ? mishap : undefined)
    const away = await server.site('shop')
    expect(away.status).toBe(503)
    expect(away.text).toContain('Back in a moment')
    s3.mishap = call => (isCopy(call.headers.range) ? 500 : undefined)
    expect((await server.site('shop')).text).toBe('home')
  },
)

test('copied files are served while the object store is away, and health says so', async () => {
  const { s3, server, deploy } = await setUp()
  const id = (await deploy({ 'index.html': 'home', 'large.bin': large })).json.deployment_id
  await server.site('shop')
  // The directory of the copies is made with the first of them.
  const copies = () => readdir(path.join(server.dataDir, 'pack-cache')).catch(() => [] as string[])
  await until(async () => (await copies()).includes(`${id}.pack`))
  await until(async () => (await server.site('shop', '/large.bin')).body.equals(large))
  s3.mishap = () => 503
  expect((await server.site('shop', '/large.bin')).body.equals(large)).toBe(true)
  const health = await server.request('/health')
  expect(health).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } })
})

test('svcd doctor checks the bucket and says what is wrong with it', async () => {
  const { s3, server } = await setUp()
  const doctor = (storageUrl: string) =>
    new Promise<string>(resolve => {
      const program = fileURLToPath(new URL('../../bin/svcd.js', import.meta.url))
      const env = { PATH: process.env.PATH, ...server.environment, SVCD_STORAGE_URL: storageUrl }
      execFile(process.execPath, [program, 'doctor'], { env }, (_, stdout) => resolve(stdout))
    })
  expect(await doctor(s3.storageUrl)).toContain('ok    storage: S3 bucket packs-test')
  expect(await doctor(s3.storageUrl.replace('odd', 'wrong'))).toMatch(
    /FAIL {2}storage: .*SignatureDoesNotMatch/,
  )
})

test('a copy on the disk that was damaged is replaced by a new one from S3, and visitors see nothing of it', async () => {
  const { server, deploy } = await setUp()
  const text = (page: number) => `page ${page} is right`
  const pages = Object.fromEntries(Array.from({ length: 200 }, (_, page) => [`${page}.txt`, text(page)]))
  const id = (await deploy({ 'index.html': 'home', ...pages })).json.deployment_id
  const copy = path.join(server.dataDir, 'pack-cache', `${id}.pack`)
  expect((await server.site('shop')).text).toBe('home')
  await until(async () => (await readFile(copy).catch(() => undefined)) !== undefined)
  const whole = await readFile(copy)
  await writeFile(copy, Buffer.from(whole.toString('latin1').replaceAll('right', 'wrong'), 'latin1'))
  // Each visit reads a file that is not in memory. The first ones may still read from S3.
  let page = 0
  await until(async () => {
    const shown = (await server.site('shop', `/${page}.txt`)).text
    expect(shown).toBe(text(page++))
    return (await readFile(copy).catch(() => Buffer.alloc(0))).equals(whole)
  })
})
