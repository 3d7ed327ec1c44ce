// Apps that answer in many ways, and clients that ask in many ways: what the client decodes is what the app sent, and an answer
// that the app breaks off is broken for the client. `SVCD_FUZZ_CASES` for more.

import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../proxy/testapp.ts'

const cases = Number(process.env.SVCD_FUZZ_CASES ?? 200)

const script = fc.record({
  status: fc.constantFrom(200, 200, 200, 201, 404, 500, 206, 204, 304),
  type: fc.constantFrom('text/html', 'text/event-stream', 'application/json', 'image/png', undefined),
  cacheControl: fc.constantFrom(undefined, 's-maxage=1', 's-maxage=1', 'no-store', 'no-transform'),
  etag: fc.constantFrom(undefined, '"a"', 'W/"a"', 'a'),
  vary: fc.constantFrom(undefined, 'Cookie', 'accept-encoding', '*'),
  pieces: fc.array(fc.constantFrom(0, 1, 10, 1_023, 1_024, 5_000, 70_000, 300_000), { maxLength: 5 }),
  waits: fc.boolean(),
  hasLength: fc.boolean(),
  trailer: fc.boolean(),
  hints: fc.boolean(),
  breaks: fc.integer({ min: -12, max: 4 }),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  accepted: fc.constantFrom('gzip', 'br', 'gzip, br', 'identity;q=0, br', 'identity', undefined),
  range: fc.constantFrom(undefined, undefined, undefined, 'bytes=3-9'),
  times: fc.integer({ min: 1, max: 3 }),
})
type Script = typeof script extends fc.Arbitrary<infer S> ? S : never

const contentOf = ({ pieces }: Script): Buffer =>
  Buffer.concat(pieces.map((bytes, i) => Buffer.alloc(bytes, `${i} of the pieces\n`)))
const hasNoBody = ({ method, status }: Script) => method === 'HEAD' || status === 204 || status === 304
const isBroken = (given: Script) =>
  given.breaks >= 0 && given.breaks < given.pieces.length && !hasNoBody(given)

async function answer(given: Script, res: ServerResponse): Promise<void> {
  const { status, type, cacheControl, etag, vary, pieces, waits, hasLength, trailer, hints } = given
  if (hints) res.writeEarlyHints({ link: '</a.css>; rel=preload' })
  const fields = { 'content-type': type, 'cache-control': cacheControl, etag, vary }
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) res.setHeader(name, value)
  // An app that breaks an answer off announces more than it sends.
  const length = contentOf(given).length + (isBroken(given) ? 1 : 0)
  if (hasLength && !hasNoBody(given)) res.setHeader('content-length', length)
  res.writeHead(status)
  for (const [i, bytes] of pieces.entries()) {
    if (hasNoBody(given)) break
    res.write(Buffer.alloc(bytes, `${i} of the pieces\n`))
    if (waits) await new Promise(next => setImmediate(next))
    if (i === given.breaks) return void setImmediate(() => res.destroy())
  }
  if (trailer && !hasLength) res.addTrailers({ 'x-sum': '1' })
  res.end()
}

it.each([true, false])('clients get what apps send, with lanes: %s', async fastLanes => {
  const scripts = new Map<string, Script>()
  const bed = await startTestApp((req, res) => void answer(scripts.get(req.url!)!, res), { fastLanes })
  const agent = new Agent({ keepAlive: true })
  onTestFinished(async () => {
    agent.destroy()
    await bed.stop()
  })
  const ask = ({ method, accepted, range }: Script, path: string) =>
    new Promise<{ message: IncomingMessage; body: Buffer }>((done, fail) => {
      const headers = {
        host: 'shop.example.test',
        ...(accepted === undefined ? {} : { 'accept-encoding': accepted }),
        ...(range === undefined ? {} : { range }),
      }
      const req = request({ port: bed.port, path, method, headers, agent }, message => {
        const chunks: Buffer[] = []
        message.on('data', chunk => chunks.push(chunk))
        message.on('error', fail)
        message.on('end', () => done({ message, body: Buffer.concat(chunks) }))
      })
      req.on('error', fail).end()
    })
  let last = 0
  const play = fc.asyncProperty(script, async given => {
    const path = `/${++last}`
    scripts.set(path, given)
    for (let i = 0; i < given.times; i++) {
      const asked = ask(given, path)
      if (isBroken(given)) {
        await expect(asked).rejects.toThrow()
        continue
      }
      const { message, body } = await asked
      const coding = message.headers['content-encoding']
      const decode = coding === 'gzip' ? gunzipSync : coding === 'br' ? brotliDecompressSync : undefined
      const content = body.length === 0 ? body : (decode?.(body) ?? body)
      // The cache gives ranges of what it keeps, and the app gives none.
      const isRange = given.status === 200 && message.statusCode === 206
      const expected = isRange ? contentOf(given).subarray(3, 10) : contentOf(given)
      if (message.statusCode !== 416)
        expect(content.equals(hasNoBody(given) ? Buffer.alloc(0) : expected)).toBe(true)
      if (coding !== undefined) expect(message.headers.vary ?? '').toMatch(/accept-encoding|\*/i)
      if (coding !== undefined) expect(given.accepted).toContain(coding)
    }
  })
  await fc.assert(play, { numRuns: cases, seed: 5, endOnFailure: true })
  await expect.poll(() => bed.apps.underWay).toBe(0)
})
