import { randomBytes } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

const text = '{"name":"something","of":"the list"},\n'.repeat(200)
const gzip = { 'accept-encoding': 'gzip, br' }

describe('a cached answer of an app', () => {
  let bed: TestApp
  /** What the app was asked, by path. */
  const asked: { path: string; ifNoneMatch: string | undefined }[] = []
  let headers: OutgoingHttpHeaders = {}
  let body: string | Buffer = text
  let last = 0

  beforeAll(async () => {
    bed = await startTestApp((req, res) => {
      asked.push({ path: req.url!, ifNoneMatch: req.headers['if-none-match'] })
      const isHeld = req.headers['if-none-match'] === '"a"'
      const all = {
        'content-type': 'application/json',
        'cache-control': 's-maxage=60',
        etag: '"a"',
        ...headers,
      }
      if (isHeld) res.writeHead(304, all).end()
      else res.writeHead(200, all).end(body)
    })
  })
  afterAll(() => bed.stop())

  const newPath = (fields: OutgoingHttpHeaders = {}, content: string | Buffer = text) => {
    headers = fields
    body = content
    asked.length = 0
    return `/${++last}`
  }
  const ask = (path: string, fields: OutgoingHttpHeaders = {}, method = 'GET') =>
    bed.ask('shop', path, { headers: fields, method })

  it('is kept as the app sent it, and compressed for each client that accepts it', async () => {
    const path = newPath()
    const states: string[] = []
    for (const accepted of ['gzip', 'gzip', 'br', 'br', 'identity', 'gzip']) {
      const answer = await ask(path, { 'accept-encoding': accepted })
      states.push(String(answer.headers['x-svc-cache']))
      const decode = { gzip: gunzipSync, br: brotliDecompressSync }[accepted]
      expect((decode?.(answer.body) ?? answer.body).toString()).toBe(text)
      expect(answer.headers).toMatchObject({ vary: 'Accept-Encoding', etag: decode ? 'W/"a"' : '"a"' })
      expect(answer.headers['content-encoding']).toBe(decode && accepted)
    }
    expect(states).toEqual(['MISS', 'HIT', 'HIT', 'HIT', 'HIT', 'HIT'])
    expect(asked).toHaveLength(1)
  })

  it('has a length when it is sent compressed from memory, and for HEAD the same fields', async () => {
    const path = newPath()
    await ask(path, gzip)
    const answer = await ask(path, gzip)
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    const head = await ask(path, gzip, 'HEAD')
    expect(head.headers).toMatchObject({ 'x-svc-cache': 'HIT', etag: 'W/"a"', 'content-encoding': 'gzip' })
    expect(head.headers).not.toHaveProperty('content-length')
  })

  it('is a 304 for a client that has it, compressed or not', async () => {
    const path = newPath()
    await ask(path, gzip)
    const unchanged = await ask(path, { ...gzip, 'if-none-match': 'W/"a"' })
    expect(unchanged).toMatchObject({ status: 304, text: '' })
    expect(unchanged.headers).toMatchObject({ etag: 'W/"a"', vary: 'Accept-Encoding' })
    expect(unchanged.headers).not.toHaveProperty('content-encoding')
    expect((await ask(path, { 'if-none-match': '"a"' })).headers).toMatchObject({ etag: '"a"' })
    expect(asked).toHaveLength(1)
  })

  it('gives ranges of what the app sent', async () => {
    const path = newPath()
    await ask(path, gzip)
    const part = await ask(path, { ...gzip, range: 'bytes=2-5' })
    expect(part).toMatchObject({ status: 206, text: text.slice(2, 6) })
    expect(part.headers).toMatchObject({ etag: '"a"', vary: 'Accept-Encoding' })
    expect(part.headers).not.toHaveProperty('content-encoding')
    const changed = await ask(path, { ...gzip, range: 'bytes=2-5', 'if-range': 'W/"a"' })
    expect(changed).toMatchObject({ status: 200 })
    expect(gunzipSync(changed.body).toString()).toBe(text)
  })

  it('is renewed by its own ETag', async () => {
    const path = newPath()
    await ask(path, gzip)
    await ask(path, gzip)
    bed.time.now += 61_000
    const renewed = await ask(path, { ...gzip, 'if-none-match': 'W/"other"' })
    expect(renewed.headers).toMatchObject({ 'x-svc-cache': 'REVALIDATED', etag: 'W/"a"' })
    expect(gunzipSync(renewed.body).toString()).toBe(text)
    expect(asked.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, '"a"'])
  })

  it.each<[string, OutgoingHttpHeaders, string | Buffer]>([
    ['of more than 1 MB', {}, text.repeat(200)],
    ['of an unknown length below 1 KB', { 'transfer-encoding': 'chunked' }, 'short'],
  ])('%s is compressed as it is sent', async (_, fields, content) => {
    const path = newPath(fields, content)
    for (const state of ['MISS', 'HIT', 'HIT']) {
      const answer = await ask(path, gzip)
      expect(answer.headers).toMatchObject({ 'x-svc-cache': state, 'content-encoding': 'gzip' })
      expect(gunzipSync(answer.body).toString()).toBe(content.toString())
    }
  })

  it('that does not become smaller is sent as it is', async () => {
    const path = newPath({}, randomBytes(5_000))
    await ask(path, gzip)
    for (let i = 0; i < 2; i++) {
      const answer = await ask(path, gzip)
      expect(answer.headers).toMatchObject({ 'x-svc-cache': 'HIT', vary: 'Accept-Encoding', etag: '"a"' })
      expect(answer.headers).not.toHaveProperty('content-encoding')
    }
  })

  it('is not compressed if the app forbids it', async () => {
    const path = newPath({ 'cache-control': 's-maxage=60, no-transform' })
    for (let i = 0; i < 2; i++) expect((await ask(path, gzip)).text).toBe(text)
  })
})
