import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

let bed: TestApp
let change: (req: IncomingMessage, res: ServerResponse) => void
let invalidated: string[]

beforeEach(async () => {
  invalidated = []
  change = (req, res) => void req.resume().on('end', () => res.writeHead(204).end())
  bed = await startTestApp(
    (req, res) => {
      if (req.method === 'GET') res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(req.url)
      else change(req, res)
    },
    {},
    { onInvalidated: key => invalidated.push(key) },
  )
})
afterEach(() => bed.stop())

const stateOf = async (path: string) => (await bed.ask('shop', path)).headers['x-svc-cache']
const keep = async (...paths: string[]) => {
  for (const path of paths) await bed.ask('shop', path)
}
const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  new Promise<number>((done, fail) => {
    const more = { host: 'shop.example.test', ...headers }
    const req = request({ port: bed.port, host: '127.0.0.1', method, path, headers: more, agent: false })
    req.on('response', res => res.resume().on('end', () => done(res.statusCode!)))
    req.on('error', fail)
    req.end(body)
  })

describe('a page is forgotten after a successful', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'M-SEARCH', 'PURGE'])(
    '%s with and without a body',
    async method => {
      for (const [body, headers] of [
        [undefined, {}],
        ['abc', { 'content-length': '3' }],
        ['abc', { 'transfer-encoding': 'chunked' }],
      ] as const) {
        await keep('/a', '/a?x=1', '/b')
        await send(method, '/a?y=2', body, headers)
        expect(await stateOf('/a')).toBe('MISS')
        expect(await stateOf('/a?x=1')).toBe('MISS')
        expect(await stateOf('/b')).toBe('HIT')
      }
      expect(invalidated).toEqual(Array(3).fill('prj_shop /a'))
    },
  )

  test.each([201, 202, 301, 302, 303, 307])('request that is answered with %i', async status => {
    change = (req, res) => void req.resume().on('end', () => res.writeHead(status).end())
    await keep('/a')
    await send('POST', '/a', 'abc')
    expect(await stateOf('/a')).toBe('MISS')
  })

  test.each(['x-http-method-override', 'x-original-url', 'x-svc-cron', 'x-matched-path'])(
    'POST with %s, whose own answer is never kept',
    async name => {
      await keep('/a')
      await send('POST', '/a', 'abc', { [name]: 'DELETE' })
      expect(await stateOf('/a')).toBe('MISS')
    },
  )

  test('request, before its sender has the answer', async () => {
    let answer: ServerResponse | undefined
    change = (_req, res) => {
      answer = res
    }
    await keep('/a')
    const socket = connect(bed.port, '127.0.0.1', () =>
      socket.write('POST /a HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 1\r\n\r\nx'),
    )
    const begun = new Promise(done => socket.once('data', done))
    await eventually(async () => answer !== undefined)
    answer!.writeHead(200).write('begun')
    await begun
    expect(await stateOf('/a')).toBe('MISS')
    socket.destroy()
  })
})

test('a page is forgotten if the visitor who changes it leaves before the answer', async () => {
  let received = false
  change = req =>
    void req.resume().on('end', () => {
      received = true
    })
  await keep('/a')
  const socket = connect(bed.port, '127.0.0.1', () =>
    socket.write('POST /a HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 3\r\n\r\nabc'),
  )
  await eventually(async () => received)
  socket.destroy()
  await eventually(async () => invalidated.length > 0)
  expect(await stateOf('/a')).toBe('MISS')
})

test('a page is forgotten if the app ends the connection instead of answering its change', async () => {
  change = req => void req.socket.destroy()
  await keep('/a')
  expect(await send('POST', '/a', 'abc')).toBe(502)
  expect(await stateOf('/a')).toBe('MISS')
})

test.each([400, 403, 404, 409, 500, 503])(
  'a page is kept if the app refuses its change with %i',
  async status => {
    change = (req, res) => void req.resume().on('end', () => res.writeHead(status, { location: '/b' }).end())
    await keep('/a', '/b')
    await send('POST', '/a', 'abc')
    expect(await stateOf('/a')).toBe('HIT')
    expect(await stateOf('/b')).toBe('HIT')
  },
)

test.each(['OPTIONS', 'PROPFIND', 'SEARCH', 'REPORT'])(
  'a page is kept after %s, which is safe',
  async method => {
    await keep('/a')
    await send(method, '/a')
    expect(await stateOf('/a')).toBe('HIT')
  },
)

describe('together with a page, the cache drops the URL that the answer names in', () => {
  describe.each(['Location', 'Content-Location'])('%s', name => {
    test.each([
      ['/items/b?x=1', '/items/b'],
      ['b', '/items/b'],
      ['./b#part', '/items/b'],
      ['http://shop.example.test/items/b', '/items/b'],
      ['HTTP://SHOP.EXAMPLE.TEST:80/items/b', '/items/b'],
      ['/items/caf%C3%A9', '/items/caf%C3%A9'],
    ])('%s', async (location, other) => {
      change = (req, res) => void req.resume().on('end', () => res.writeHead(201, { [name]: location }).end())
      await keep(other, '/items/c')
      await send('POST', '/items/a', 'abc')
      expect(await stateOf(other)).toBe('MISS')
      expect(await stateOf('/items/c')).toBe('HIT')
    })
  })

  test.each([
    'https://shop.example.test/b',
    'http://other.test/b',
    '//other.test/b',
    'http://shop.example.test:8080/b',
    'http://[/b',
  ])('Location, but not %s, which is of another origin', async location => {
    change = (req, res) => void req.resume().on('end', () => res.writeHead(201, { location }).end())
    await keep('/b')
    await send('POST', '/a', 'abc')
    expect(await stateOf('/b')).toBe('HIT')
  })
})
