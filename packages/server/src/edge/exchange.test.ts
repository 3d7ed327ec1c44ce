import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Access } from '../core/stats/access.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestbed, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startTestbed({ fastLanes: true })
  await bed.deploy('shop', {
    'index.html': 'home',
    'about.html': 'about us',
    'style.css': 'p{}',
    'large.bin': Buffer.alloc(5_000_000),
    _redirects: '/old /about\n',
  })
  await bed.ask('shop', '/')
})
afterAll(() => bed.stop())
beforeEach(() => {
  bed.accesses.length = 0
})

/** The next `count` that the log is told. */
async function told(count: number): Promise<Access[]> {
  await eventually(async () => bed.accesses.length >= count)
  return bed.accesses.splice(0, count)
}

const one = async (ask: Promise<unknown>) => {
  await ask
  const [access] = await told(1)
  return access!
}

test('an answer is told with what it was asked and what it was', async () => {
  const headers = { 'user-agent': 'Test', referer: 'https://other.example/' }
  const access = await one(bed.ask('shop', '/about?x=1', { headers: { ...headers, connection: 'close' } }))
  expect(access).toMatchObject({
    projectId: 'prj_shop',
    at: bed.time.now,
    host: 'shop.example.test',
    method: 'GET',
    target: '/about?x=1',
    status: 200,
    bytes: 8,
    cache: 'MISS',
    html: true,
    peer: '127.0.0.1',
    times: 1,
  })
  expect(access.fields).toMatch(/user-agent: Test\r\nreferer: https:\/\/other.example\/\r\n/i)
})

test.each([
  ['a file', '/style.css', 'GET', {}, { status: 200, bytes: 3, html: false }],
  ['no body', '/style.css', 'HEAD', {}, { status: 200, bytes: 0, html: false }],
  ['a part', '/style.css', 'GET', { range: 'bytes=1-2' }, { status: 206, bytes: 2 }],
  ['a redirect', '/old', 'GET', {}, { status: 301, bytes: 0, cache: undefined, html: false }],
  ['a method that is refused', '/', 'POST', {}, { status: 405, cache: undefined }],
])('%s is told', async (_, path, method, headers, expected) => {
  expect(await one(bed.ask('shop', path, { method, headers }))).toMatchObject({ ...expected, method })
})

test('a document that the client has is a document', async () => {
  const { headers } = await bed.ask('shop', '/')
  await told(1)
  const again = bed.ask('shop', '/', { headers: { 'if-none-match': headers.etag! } })
  expect(await one(again)).toMatchObject({ status: 304, bytes: 0, html: true })
})

test('a file that the client has is none, whatever it would take', async () => {
  const { headers } = await bed.ask('shop', '/style.css')
  await told(1)
  const conditions = { 'if-none-match': headers.etag!, accept: 'text/html,*/*' }
  const again = bed.ask('shop', '/style.css', { headers: conditions })
  expect(await one(again)).toMatchObject({ status: 304, html: false })
})

test('the fast lane tells the same as the ordinary way', async () => {
  const ordinary = await one(bed.ask('shop', '/', { headers: { 'user-agent': 'T', connection: 'close' } }))
  const socket = connect(bed.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: shop.example.test\r\nUser-Agent: T\r\n\r\n')
  const [fast] = await told(1)
  socket.destroy()
  // Answers of the lane have no request id and are not timed.
  const { fields: ordinaryFields, ms: _ms, requestId: _id, ...rest } = ordinary
  expect(fast).toMatchObject(rest)
  expect(fast?.fields).toBe('User-Agent: T\r\n')
  expect(ordinaryFields).toContain('user-agent: T\r\n')
})

test('requests like the one before for a file add to its entry, until that is being counted', async () => {
  const socket = connect(bed.port, '127.0.0.1')
  let answers = 0
  socket.on('data', chunk => (answers += chunk.toString().split('HTTP/1.1 200').length - 1))
  const ask = async (path: string) => {
    const before = answers
    socket.write(`GET ${path} HTTP/1.1\r\nHost: shop.example.test\r\n\r\n`)
    await eventually(async () => answers > before)
  }
  for (const path of ['/', '/', '/style.css', '/?other', '/']) await ask(path)
  expect(bed.accesses.map(({ target, times }) => [target, times])).toEqual([
    ['/', 4],
    ['/style.css', 1],
  ])
  bed.accesses[0]!.taken = true
  await ask('/')
  socket.destroy()
  expect(bed.accesses.map(({ times }) => times)).toEqual([4, 1, 1])
})

test('of a download that breaks off, what went out is told', async () => {
  const socket = connect(bed.port, '127.0.0.1')
  socket.write('GET /large.bin HTTP/1.1\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n')
  await new Promise(resolve => socket.once('data', resolve))
  socket.destroy()
  const [access] = await told(1)
  expect(access!.bytes).toBeGreaterThan(0)
  expect(access!.bytes).toBeLessThan(5_000_000)
})

test('hosts that nobody has are not told of', async () => {
  await bed.ask('nobody', '/')
  expect(await one(bed.ask('shop', '/style.css'))).toMatchObject({ target: '/style.css' })
})
