// What one visitor sends must not change what others get, and what was put away must not come back.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

type Handler = (req: IncomingMessage, res: ServerResponse, count: number) => void

let bed: TestApp
let handle: Handler
let asked: string[]
let isTrusted = false

beforeEach(async () => {
  asked = []
  isTrusted = false
  bed = await startTestApp(
    (req, res) => {
      asked.push(req.url!)
      handle(req, res, asked.length)
    },
    { cacheBytes: 1024 * 1024 },
    { isTrusted: () => isTrusted },
  )
})
afterEach(() => bed.stop())

const get = async (path = '/', headers: Record<string, string | string[]> = {}) => {
  const { headers: got, text } = await bed.ask('shop', path, { headers })
  return `${got['x-svc-cache']} ${text}`
}

/** An app that answers with a header of the request, for everyone. */
const echoing =
  (name: string, more: Record<string, string> = {}): Handler =>
  (req, res) =>
    void res
      .writeHead(200, { 'cache-control': 's-maxage=60', ...more })
      .end(String(req.headersDistinct[name]))

describe('an answer is not served to another client', () => {
  test.each([
    ['x-forwarded-proto', 'https', 'http'],
    ['x-forwarded-host', 'evil.test', 'shop.test'],
  ])('if a trusted proxy names another %s for its request', async (name, first, second) => {
    isTrusted = true
    handle = echoing(name)
    expect(await get('/', { [name]: first })).toBe(`MISS ${first}`)
    expect(await get('/', { [name]: second })).toBe(`MISS ${second}`)
    expect(await get('/', { [name]: first })).toBe(`HIT ${first}`)
  })

  test.each([
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-host',
    'X-Original-Host',
    'x-invoke-status',
    'x-middleware-subrequest',
  ])('if the first request had %s, by which frameworks choose another answer', async name => {
    handle = echoing(name.toLowerCase())
    expect(await get('/', { [name]: 'evil' })).toBe('BYPASS evil')
    expect(await get('/')).toBe('MISS undefined')
    expect(await get('/', { [name]: 'evil' })).toBe('BYPASS evil')
  })

  test('if a header of Vary came twice, because apps may read either', async () => {
    handle = echoing('user-agent', { vary: 'User-Agent' })
    const twice =
      'GET / HTTP/1.1\r\nHost: shop.example.test\r\nUser-Agent: a\r\nUser-Agent: b\r\nConnection: close\r\n\r\n'
    expect(await bed.send(twice)).toContain('a,b')
    expect(await get('/', { 'user-agent': 'a' })).toBe('MISS a')
  })

  test('if a header of Vary was split into two lines, because apps may read only one', async () => {
    handle = (req, res) =>
      void res
        .writeHead(200, { 'cache-control': 's-maxage=60', vary: 'User-Agent' })
        .end(req.headers['user-agent'])
    await bed.send(
      'GET / HTTP/1.1\r\nHost: shop.example.test\r\nUser-Agent: (KHTML\r\nUser-Agent: like Gecko)\r\nConnection: close\r\n\r\n',
    )
    expect(await get('/', { 'user-agent': '(KHTML,like Gecko)' })).toBe('MISS (KHTML,like Gecko)')
  })

  test('if a header of Vary differs in spaces inside quotes', async () => {
    handle = echoing('x-kind', { vary: 'X-Kind' })
    expect(await get('/', { 'x-kind': '"a , b"' })).toBe('MISS "a , b"')
    expect(await get('/', { 'x-kind': '"a,b"' })).toBe('MISS "a,b"')
    expect(await get('/', { 'x-kind': 'a ,  b' })).toBe('MISS a ,  b')
    expect(await get('/', { 'x-kind': 'a,b' })).toBe('HIT a ,  b')
  })

  test('if the Connection field of the first request removes a header of Vary', async () => {
    handle = echoing('accept', { vary: 'Accept' })
    const hidden =
      'GET / HTTP/1.1\r\nHost: shop.example.test\r\nAccept: text/html\r\nConnection: close, ACCEPT\r\n\r\n'
    expect(await bed.send(hidden)).toContain('X-Svc-Cache: MISS')
    expect(await get('/', { accept: 'text/html' })).toBe('MISS text/html')
    expect(await get('/')).toBe('HIT undefined')
  })

  test.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip'])(
    'unless they only differ in a %s that the client itself sent',
    async name => {
      handle = echoing(name, { vary: name })
      const seen = name === 'x-forwarded-for' ? '127.0.0.1' : 'undefined'
      expect(await get('/', { [name]: '6.6.6.6' })).toBe(`MISS ${seen}`)
      expect(await get('/', { [name]: '7.7.7.7' })).toBe(`HIT ${seen}`)
    },
  )

  test('if the answer varies by the client address, and a trusted proxy names another one', async () => {
    isTrusted = true
    handle = echoing('x-forwarded-for', { vary: 'X-Forwarded-For' })
    for (const from of ['6.6.6.6', '7.7.7.7'])
      expect(await get('/', { 'x-forwarded-for': from })).toBe(`MISS ${from}, 127.0.0.1`)
  })

  test('if it writes the Host differently', async () => {
    handle = echoing('host')
    expect(await get('/', { host: 'SHOP.example.test' })).toBe('MISS SHOP.example.test')
    expect(await get('/')).toBe('MISS shop.example.test')
    expect(await get('/', { host: 'shop.example.test:81' })).toBe('MISS shop.example.test:81')
  })

  test('if the answer is encoded and it does not accept that, even without Vary', async () => {
    handle = (req, res) => {
      const headers = { 'cache-control': 's-maxage=60' }
      if (req.headers['accept-encoding'] === 'gzip')
        res.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end('encoded')
      else res.writeHead(200, headers).end('plain')
    }
    expect(await get('/', { 'accept-encoding': 'gzip' })).toBe('MISS encoded')
    expect(await get('/', { 'accept-encoding': 'br' })).toBe('MISS plain')
  })

  test('if the first request had a body', async () => {
    handle = async (req, res) => {
      let body = ''
      for await (const chunk of req) body += chunk
      res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(`body ${body}`)
    }
    const fat =
      'GET / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nevil'
    expect(await bed.send(fat)).toContain('body evil')
    expect(await get('/')).toBe('MISS body ')
  })

  test('if one of them requests the data of a page and the other the page', async () => {
    handle = echoing('x-nextjs-data')
    expect(await get('/', { 'x-nextjs-data': '1' })).toBe('MISS 1')
    expect(await get('/')).toBe('MISS undefined')
    expect(await get('/', { 'x-nextjs-data': '1' })).toBe('HIT 1')
  })

  test.each(['x-nextjs-data', 'x-middleware-prefetch'])(
    'if the first request had %s, and Connection removed it',
    async name => {
      handle = echoing(name)
      expect(await get('/', { [name]: '1', connection: `close, ${name}` })).toBe('MISS undefined')
      expect(await get('/', { [name]: '1' })).toBe('MISS 1')
      expect(await get('/')).toBe('HIT undefined')
    },
  )

  test('if its cookies differ, except for those of the gate', async () => {
    handle = echoing('cookie', { vary: 'Cookie' })
    expect(await get('/', { cookie: 'user=1' })).toBe('MISS user=1')
    expect(await get('/', { cookie: 'user=2' })).toBe('MISS user=2')
    expect(await get('/', { cookie: 'user=1; svc-visit=x' })).toBe('HIT user=1')
  })

  test.each(['/a%2fb', '/a/b', '/a//b', '/A/b', '/a/b/', '/a/b?', '/%61/b', '/a/./b'])(
    'if it writes the URL differently: %s',
    async path => {
      handle = (req, res) => void res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(req.url)
      for (const other of ['/a%2Fb', '/a/b;x']) await get(other)
      expect(await get(path)).toBe(`MISS ${path}`)
    },
  )

  test('if the answer is a stream without an end', async () => {
    handle = (_req, res) =>
      void res
        .writeHead(200, { 'cache-control': 's-maxage=60', 'content-type': 'text/event-stream' })
        .end('x')
    expect(await get()).toBe('BYPASS x')
    expect(await get()).toBe('BYPASS x')
  })
})

describe('a stale answer', () => {
  const swr = { 'cache-control': 's-maxage=60, stale-while-revalidate' }

  test('is not shown for ever where the app no longer wants its answers kept', async () => {
    handle = (_req, res, count) => void res.writeHead(200, swr).end(`public ${count}`)
    expect(await get()).toBe('MISS public 1')
    handle = (_req, res, count) =>
      void res.writeHead(200, { 'cache-control': 'private' }).end(`private ${count}`)
    bed.time.now += 61_000
    expect(await get()).toBe('STALE public 1')
    await eventually(async () => (await get()).startsWith('BYPASS private'))
  })

  test('goes on being shown while the app fails', async () => {
    handle = (_req, res, count) => void res.writeHead(200, swr).end(`answer ${count}`)
    await get()
    handle = (_req, res) => void res.writeHead(500).end('failed')
    bed.time.now += 61_000
    for (let i = 0; i < 3; i++) {
      expect(await get()).toBe('STALE answer 1')
      await eventually(async () => asked.length >= 2 + i)
      await eventually(async () => bed.apps.underWay === 0)
    }
  })

  test('is never shown where it must be asked about each time', async () => {
    handle = (_req, res, count) =>
      void res.writeHead(200, { 'cache-control': 'no-cache, stale-while-revalidate=60' }).end(`${count}`)
    expect(await get()).toMatch(/ 1$/)
    expect(await get()).toMatch(/ 2$/)
  })

  test('that did not change says what the app says of it now', async () => {
    handle = (_req, res) =>
      void res.writeHead(200, { 'cache-control': 's-maxage=60', etag: '"a"', 'x-old': '1' }).end('body')
    await get()
    handle = (_req, res) =>
      void res.writeHead(304, { 'cache-control': 's-maxage=60', etag: '"a"', 'x-new': '2' }).end()
    bed.time.now += 61_000
    await get()
    const { headers, text } = await bed.ask('shop', '/')
    expect([text, headers]).toMatchObject(['body', { 'x-svc-cache': 'HIT', 'x-old': '1', 'x-new': '2' }])
  })
})

test('the age of an answer is said once, with what it had at the app', async () => {
  handle = (_req, res) => void res.writeHead(200, { 'cache-control': 's-maxage=60', age: '7' }).end('x')
  await get()
  bed.time.now += 5_000
  const head = await bed.send('GET / HTTP/1.1\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n')
  expect(head.match(/^age: .*$/gim)).toEqual(['Age: 12'])
})

describe('while an answer is being fetched', () => {
  const keep = { 'cache-control': 's-maxage=60' }
  let answers: ((text: string) => void)[]

  beforeEach(() => {
    answers = []
    handle = (_req, res) => void answers.push(text => res.writeHead(200, keep).end(text))
  })
  const isAsked = (times: number) => eventually(async () => answers.length === times)

  test('the invalidation of another URL does not affect it', async () => {
    const first = get('/a')
    await isAsked(1)
    bed.changes.tell({ topic: 'cache', key: 'prj_shop /b' })
    bed.changes.tell({ topic: 'cache', key: 'prj_other /a' })
    answers[0]!('a')
    expect(await first).toBe('MISS a')
    expect(await get('/a')).toBe('HIT a')
  })

  test('a request after an invalidation gets a newer answer, which is stored', async () => {
    const before = get('/a')
    await isAsked(1)
    bed.changes.tell({ topic: 'cache', key: 'prj_shop /a' })
    const after = get('/a')
    await isAsked(2)
    answers[1]!('new')
    expect(await after).toBe('MISS new')
    answers[0]!('old')
    expect(await before).toBe('MISS old')
    expect(await get('/a')).toBe('HIT new')
  })

  test('and its client leaves, one of the waiting requests fetches it for all', async () => {
    await bed.deploy('static', { 'index.html': 'home' })
    const first = connect(bed.port, '127.0.0.1', () =>
      first.write('GET /a HTTP/1.1\r\nHost: shop.example.test\r\n\r\n'),
    )
    await isAsked(1)
    const others = Array.from({ length: 5 }, () => get('/a'))
    // An answer that came later says that they have come as well.
    await bed.ask('static', '/')
    first.destroy()
    await isAsked(2)
    answers[1]!('a')
    expect((await Promise.all(others)).sort()).toEqual([...Array(4).fill('HIT a'), 'MISS a'])
  })
})
