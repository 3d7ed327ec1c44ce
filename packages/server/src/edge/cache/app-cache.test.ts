import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

type Handler = (req: IncomingMessage, res: ServerResponse, count: number) => void

let bed: TestApp
let handle: Handler
let asked: string[]

beforeEach(async () => {
  asked = []
  bed = await startTestApp(
    (req, res) => {
      asked.push(`${req.method} ${req.url}`)
      handle(req, res, asked.length)
    },
    { cacheBytes: 8 * 1024 * 1024 },
  )
})

afterEach(() => bed.stop())

/** An app that counts its answers. */
const counting =
  (headers: Record<string, string>): Handler =>
  (_req, res, count) =>
    void res.writeHead(200, headers).end(`answer ${count}`)

const get = async (path = '/', headers: Record<string, string> = {}, project = 'shop') => {
  const { status, headers: got, text } = await bed.ask(project, path, { headers })
  return { status, text, cache: got['x-svc-cache'], headers: got }
}
const states = async (count: number, path = '/') => {
  const seen = []
  for (let i = 0; i < count; i++) seen.push((await get(path)).cache)
  return seen
}

describe('an answer is kept', () => {
  test.each([
    's-maxage=60',
    'public, max-age=60',
    'max-age=0, s-maxage=60, stale-while-revalidate=60',
    'public, s-maxage=60, must-revalidate',
  ])('that says %s', async cacheControl => {
    handle = counting({ 'cache-control': cacheControl, 'x-own': 'yes' })
    expect(await states(3)).toEqual(['MISS', 'HIT', 'HIT'])
    const again = await get()
    expect(again).toMatchObject({ status: 200, text: 'answer 1', headers: { 'x-own': 'yes', age: '0' } })
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['says nothing', {}],
    ['is for one visitor', { 'cache-control': 'private, max-age=60' }],
    ['is only for browsers', { 'cache-control': 'max-age=60' }],
    ['must not be stored', { 'cache-control': 'public, max-age=60, no-store' }],
    ['sets a cookie', { 'cache-control': 'public, s-maxage=60', 'set-cookie': 'a=1' }],
    ['depends on anything', { 'cache-control': 's-maxage=60', vary: 'Accept, *' }],
    ['has a time to live that is no number', { 'cache-control': 's-maxage=soon' }],
  ])('but not one that %s', async (_, headers) => {
    handle = counting(headers as Record<string, string>)
    const seen = await states(2)
    expect(seen).not.toContain('HIT')
    expect(asked).toHaveLength(2)
  })

  test.each([
    'Private; max-age=60, stale-while-revalidate=60',
    's-maxage=60;No-Store, stale-while-revalidate=60',
    'stale-while-revalidate=60, public private',
  ])('but not one that forbids it with another separator: %s', async cacheControl => {
    handle = counting({ 'cache-control': cacheControl })
    expect(await states(2)).toEqual(['BYPASS', 'BYPASS'])
  })

  test('to whoever shows credentials only where it says that others may have it', async () => {
    const secret = { authorization: 'Bearer x' }
    handle = counting({ 'cache-control': 'max-age=60, stale-while-revalidate=60' })
    await get('/private', secret)
    expect((await get('/private')).text).toBe('answer 2')
    handle = counting({ 'cache-control': 'public, max-age=60' })
    await get('/public', secret)
    expect((await get('/public')).text).toBe('answer 3')
  })

  test('but not of a site that asks who its visitors are', async () => {
    await bed.stop()
    bed = await startTestApp(
      (req, res) => {
        asked.push(req.url!)
        res.writeHead(200, { 'cache-control': 'public, s-maxage=60' }).end('members')
      },
      {},
      { gate: { admits: async () => true } },
    )
    const guard = { mode: 'org', projectId: 'prj_closed', project: 'closed', generation: 1 } as const
    await bed.deployApp('closed', undefined, { guard })
    for (let i = 0; i < 2; i++) {
      const { cache, headers } = await get('/', {}, 'closed')
      expect(cache).toBe('BYPASS')
      expect(headers['cache-control']).toBe('private, no-store')
    }
    expect(asked).toHaveLength(2)
  })

  test('by host, path and query', async () => {
    handle = (req, res) =>
      void res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(`${req.headers.host}${req.url}`)
    await bed.deployApp('other')
    for (const project of ['shop', 'other'])
      for (const path of ['/a', '/a?x=1', '/a?x=2', '/b']) {
        for (const cache of ['MISS', 'HIT'])
          expect(await get(path, {}, project)).toMatchObject({
            cache,
            text: `${project}.example.test${path}`,
          })
      }
  })

  test('apart for each of the headers that it varies by', async () => {
    handle = (req, res) =>
      void res
        .writeHead(200, { 'cache-control': 's-maxage=60', vary: 'Accept-Language' })
        .end(String(req.headers['accept-language']))
    for (const cache of ['MISS', 'HIT'])
      for (const language of ['en', 'de'])
        expect(await get('/', { 'accept-language': language })).toMatchObject({ cache, text: language })
  })

  test('of errors and redirects too, where they say so', async () => {
    handle = (req, res) =>
      void res
        .writeHead(Number(req.url!.slice(1)), { 'cache-control': 's-maxage=60', location: '/x' })
        .end('gone')
    for (const status of [301, 308, 404, 410])
      for (const cache of ['MISS', 'HIT'])
        expect(await get(`/${status}`)).toMatchObject({ status, cache, text: 'gone' })
  })

  test('only up to a part of the memory', async () => {
    handle = (_req, res) =>
      void res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(Buffer.alloc(2 * 1024 * 1024))
    expect(await states(2)).not.toContain('HIT')
    // Of unknown length.
    handle = (_req, res) => {
      res.writeHead(200, { 'cache-control': 's-maxage=60' })
      for (let i = 0; i < 4; i++) res.write(Buffer.alloc(512 * 1024))
      res.end()
    }
    expect((await get('/streamed')).text).toHaveLength(2 * 1024 * 1024)
    expect((await get('/streamed')).cache).not.toBe('HIT')
  })

  test('nowhere if there is no memory for it', async () => {
    const own = await startTestApp(
      (_req, res) => res.writeHead(200, { 'cache-control': 's-maxage=60' }).end('x'),
      {
        cacheBytes: 0,
      },
    )
    for (let i = 0; i < 2; i++) expect((await own.ask('shop', '/')).headers['x-svc-cache']).toBe('BYPASS')
    await own.stop()
  })

  test('never where it broke off', async () => {
    handle = (_req, res, count) => {
      res.writeHead(200, { 'cache-control': 's-maxage=60', 'content-length': '8' })
      if (count === 1) res.write('half', () => res.destroy())
      else res.end('complete')
    }
    await expect(get()).rejects.toThrow('aborted')
    expect(await get()).toMatchObject({ cache: 'MISS', text: 'complete' })
  })
})

describe('a visitor gets of what is kept', () => {
  beforeEach(async () => {
    handle = (_req, res) =>
      void res
        .writeHead(200, { 'cache-control': 's-maxage=60', etag: '"v1"', 'content-type': 'text/plain' })
        .end('0123456789')
    await get()
  })

  test('the part that was asked for', async () => {
    const part = await get('/', { range: 'bytes=2-4' })
    expect(part).toMatchObject({ status: 206, text: '234', cache: 'HIT' })
    expect(part.headers['content-range']).toBe('bytes 2-4/10')
    expect(await get('/', { range: 'bytes=20-' })).toMatchObject({ status: 416 })
    expect(await get('/', { range: 'bytes=2-4', 'if-range': '"v2"' })).toMatchObject({ status: 200 })
  })

  test('nothing where it has it already', async () => {
    expect(await get('/', { 'if-none-match': 'W/"v1"' })).toMatchObject({
      status: 304,
      text: '',
      cache: 'HIT',
    })
    expect(await get('/', { 'if-none-match': '"v0"' })).toMatchObject({ status: 200 })
  })

  test('the head', async () => {
    const head = await bed.ask('shop', '/', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers).toMatchObject({ 'content-length': '10', 'x-svc-cache': 'HIT' })
    expect(asked).toEqual(['GET /'])
  })

  test('all of it, whatever its browser would rather', async () => {
    expect((await get('/', { 'cache-control': 'no-cache', pragma: 'no-cache' })).cache).toBe('HIT')
  })
})

describe('an answer that is no longer fresh', () => {
  test('is fetched anew', async () => {
    handle = counting({ 'cache-control': 's-maxage=60' })
    await get()
    bed.time.now += 61_000
    expect(await get()).toMatchObject({ cache: 'EXPIRED', text: 'answer 2' })
    expect((await get()).cache).toBe('HIT')
  })

  test('is good again where the app says that it did not change', async () => {
    handle = (req, res, count) => {
      const headers = { 'cache-control': 's-maxage=60', etag: '"v1"', 'x-count': String(count) }
      if (req.headers['if-none-match'] === '"v1"') res.writeHead(304, headers).end()
      else res.writeHead(200, headers).end('body')
    }
    await get()
    bed.time.now += 61_000
    expect(await get()).toMatchObject({ cache: 'REVALIDATED', text: 'body', headers: { 'x-count': '2' } })
    expect(await get()).toMatchObject({ cache: 'HIT', text: 'body', headers: { 'x-count': '2', age: '0' } })
    expect(asked).toHaveLength(2)
  })

  test('is shown while the next is fetched, for as long as it allows', async () => {
    handle = counting({ 'cache-control': 's-maxage=60, stale-while-revalidate=60' })
    await get()
    bed.time.now += 61_000
    expect(await get()).toMatchObject({ cache: 'STALE', text: 'answer 1' })
    await eventually(async () => (await get()).cache === 'HIT')
    expect(await get()).toMatchObject({ cache: 'HIT', text: 'answer 2' })
    bed.time.now += 200_000
    expect(await get()).toMatchObject({ cache: 'EXPIRED', text: 'answer 3' })
  })

  test('is shown for ever where no end is given, as Next.js writes it', async () => {
    handle = counting({ 'cache-control': 's-maxage=1, stale-while-revalidate' })
    await get()
    bed.time.now += 100_000_000
    expect((await get()).cache).toBe('STALE')
  })

  test('stands in for an app that fails, for as long as it allows', async () => {
    handle = counting({ 'cache-control': 's-maxage=60, stale-if-error=600' })
    await get()
    bed.time.now += 61_000
    handle = (_req, res) => void res.writeHead(500).end('broken')
    expect(await get()).toMatchObject({ status: 200, cache: 'STALE', text: 'answer 1' })
    bed.apps.address = { host: '127.0.0.1', port: 1 }
    expect(await get()).toMatchObject({ status: 200, cache: 'STALE' })
    bed.time.now += 601_000
    expect((await get()).status).toBe(502)
  })

  test('is never shown where it must not be', async () => {
    handle = counting({ 'cache-control': 's-maxage=60, must-revalidate, stale-while-revalidate=600' })
    await get()
    bed.time.now += 61_000
    expect((await get()).text).toBe('answer 2')
  })
})

describe('many who ask at once', () => {
  test('cost the app one answer', async () => {
    let held: ServerResponse | undefined
    handle = (_req, res) => {
      held = res
    }
    const answers = Array.from({ length: 20 }, () => get())
    await eventually(async () => held !== undefined && bed.apps.underWay > 0)
    held!.writeHead(200, { 'cache-control': 's-maxage=60' }).end('shared')
    const got = await Promise.all(answers)
    expect(new Set(got.map(({ text }) => text))).toEqual(new Set(['shared']))
    expect(got.filter(({ cache }) => cache === 'MISS')).toHaveLength(1)
    expect(asked).toHaveLength(1)
  })

  test('get their own where it is not to be shared', async () => {
    handle = counting({})
    const got = await Promise.all(Array.from({ length: 5 }, () => get()))
    expect(new Set(got.map(({ text }) => text)).size).toBe(5)
  })

  test('get theirs although the first went away', async () => {
    let held: ServerResponse | undefined
    handle = (_req, res) => {
      held = res
    }
    const { request } = await import('node:http')
    const first = request({ port: bed.port, host: '127.0.0.1', headers: { host: 'shop.example.test' } })
    first.on('error', () => undefined)
    first.end()
    await eventually(async () => held !== undefined)
    held!.writeHead(200, { 'cache-control': 's-maxage=60' }).write('sha')
    await new Promise<void>(begun => first.on('response', res => res.once('data', () => begun())))
    const second = get()
    first.destroy()
    held!.end('red')
    expect(await second).toMatchObject({ cache: 'HIT', text: 'shared' })
    expect(asked).toHaveLength(1)
  })
})

describe('a cache entry is dropped', () => {
  beforeEach(() => {
    handle = counting({ 'cache-control': 's-maxage=60' })
  })

  test('with all query strings of a path, when the edge is told so', async () => {
    for (const path of ['/a', '/a?x=1', '/b', '/caf%C3%A9']) await get(path)
    bed.changes.tell({ topic: 'cache', key: 'prj_shop /a' })
    bed.changes.tell({ topic: 'cache', key: 'prj_shop /café' })
    expect((await get('/a')).cache).toBe('MISS')
    expect((await get('/a?x=1')).cache).toBe('MISS')
    expect((await get('/caf%C3%A9')).cache).toBe('MISS')
    expect((await get('/b')).cache).toBe('HIT')
  })

  test('even if the answer was still being fetched', async () => {
    let held: ServerResponse | undefined
    handle = (_req, res) => {
      held = res
    }
    const old = get()
    await eventually(async () => held !== undefined)
    bed.changes.tell({ topic: 'cache', key: 'prj_shop /' })
    held!.writeHead(200, { 'cache-control': 's-maxage=60' }).end('old')
    expect((await old).text).toBe('old')
    handle = (_req, res) => void res.end('new')
    expect((await get()).text).toBe('new')
  })

  test('with a new deployment', async () => {
    await get()
    await bed.deployApp('shop')
    expect(await get()).toMatchObject({ cache: 'MISS', text: 'answer 2' })
  })

  test('after a request with an unsafe method to its URL', async () => {
    await get()
    expect((await bed.ask('shop', '/', { method: 'POST' })).headers['x-svc-cache']).toBe('BYPASS')
    expect((await get()).cache).toBe('MISS')
  })

  test('when memory is full, the least recently used first', async () => {
    handle = (_req, res) =>
      void res.writeHead(200, { 'cache-control': 's-maxage=60' }).end(Buffer.alloc(900 * 1024))
    for (let i = 0; i < 10; i++) await get(`/${i}`)
    expect((await get('/0')).cache).toBe('MISS')
    expect((await get('/9')).cache).toBe('HIT')
  })
})
