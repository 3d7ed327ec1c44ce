import { Agent, get, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../proxy/testapp.ts'

const text = '<p>Some words of a page, and more words of it.</p>\n'.repeat(100)
const html = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(text.length) }
const gzip = { 'accept-encoding': 'gzip, deflate, br' }

type Handler = (req: IncomingMessage, res: ServerResponse) => void

describe.each([true, false])('with lanes: %s', fastLanes => {
  let bed: TestApp
  const handlers = new Map<string, Handler>()
  const agent = new Agent({ keepAlive: true })
  let lastPath = 0

  beforeAll(async () => {
    bed = await startTestApp((req, res) => handlers.get(req.url!.split('?')[0]!)!(req, res), { fastLanes })
  })
  afterAll(async () => {
    agent.destroy()
    await bed.stop()
  })

  /** Returns a path at which the app answers so. The lane knows it from then on, if there is one. */
  async function serve(handler: Handler): Promise<string> {
    const path = `/${++lastPath}`
    handlers.set(path, (_req, res) => res.end())
    for (let i = 0; i < 2; i++) await bed.ask('shop', path, { agent })
    handlers.set(path, handler)
    return path
  }
  const serveText = (headers: OutgoingHttpHeaders = html, status = 200, body = text) =>
    serve((_req, res) => res.writeHead(status, headers).end(body))

  const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
    bed.ask('shop', path, { agent, headers, method })

  describe('an answer of an app', () => {
    it.each([
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'gzip'],
      ['br', 'br'],
      ['br;q=1, gzip;q=0.5', 'br'],
      ['*', 'gzip'],
      ['gzip;q=0, *', 'br'],
      ['identity;q=0, gzip', 'gzip'],
      ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ])('is compressed for Accept-Encoding: %s, with %s', async (accepted, coding) => {
      const path = await serveText({ ...html, etag: '"a"', 'accept-ranges': 'bytes', vary: 'Cookie' })
      for (let i = 0; i < 3; i++) {
        const answer = await ask(path, { 'accept-encoding': accepted })
        expect(answer.headers).toMatchObject({
          'content-encoding': coding,
          vary: 'Cookie, Accept-Encoding',
          etag: 'W/"a"',
        })
        expect(answer.headers).not.toHaveProperty('content-length')
        expect(answer.headers).not.toHaveProperty('accept-ranges')
        const decode = coding === 'gzip' ? gunzipSync : brotliDecompressSync
        expect(decode(answer.body).toString()).toBe(text)
        expect(answer.body.length).toBeLessThan(text.length / 3)
        expect(bed.accesses.at(-1)).toMatchObject({ bytes: answer.body.length, html: true })
      }
    })

    it.each([
      undefined,
      '',
      'identity',
      'deflate, zstd',
      'gzip;q=0',
      'identity, gzip;q=0.5',
      'gzip;q=nonsense',
      'identity;q=0',
    ])('is sent as it is for Accept-Encoding: %s', async accepted => {
      const path = await serveText({ ...html, etag: '"a"' })
      for (let i = 0; i < 3; i++) {
        const answer = await ask(path, accepted === undefined ? {} : { 'accept-encoding': accepted })
        expect(answer.headers).toMatchObject({ ...html, etag: '"a"', vary: 'Accept-Encoding' })
        expect(answer.headers).not.toHaveProperty('content-encoding')
        expect(answer.text).toBe(text)
      }
    })

    it.each<[string, OutgoingHttpHeaders, number?]>([
      ['is already encoded', { ...html, 'content-encoding': 'zstd' }],
      ['says that it is not encoded', { ...html, 'content-encoding': 'identity' }],
      ['must not be changed', { ...html, 'cache-control': 'private, No-Transform' }],
      ['has a type that does not compress', { ...html, 'content-type': 'image/png' }],
      ['has no type', { 'content-length': String(text.length) }],
      ['is a part', { ...html, 'content-range': `bytes 0-${text.length - 1}/9000` }, 206],
      ['has the digest of its content', { ...html, 'content-digest': 'sha-256=:eA==:' }],
    ])('is sent as it is if it %s', async (_, headers, status = 200) => {
      const path = await serveText({ ...headers, etag: '"a"' }, status)
      const answer = await ask(path, gzip)
      expect(answer.headers).toMatchObject({ ...headers, etag: '"a"' })
      expect(answer.headers).not.toHaveProperty('vary')
      expect(answer.text).toBe(text)
    })

    it('is sent as it is below 1 KB, unless the client refuses that', async () => {
      const small = { 'content-type': 'application/json', 'content-length': '1023' }
      const path = await serveText(small, 200, 'x'.repeat(1023))
      expect((await ask(path, gzip)).headers).not.toHaveProperty('content-encoding')
      const refused = await ask(path, { 'accept-encoding': 'identity;q=0, gzip' })
      expect(gunzipSync(refused.body)).toHaveLength(1023)
      const longer = await serveText({ ...small, 'content-length': '1024' }, 200, 'x'.repeat(1024))
      expect(gunzipSync((await ask(longer, gzip)).body)).toHaveLength(1024)
    })

    it.each(['application/json', 'image/svg+xml', 'application/problem+json', 'Text/Plain', 'font/ttf'])(
      'is compressed if it is of the type %s and an error',
      async type => {
        const answer = await ask(await serveText({ 'content-type': type }, 500), gzip)
        expect(answer.status).toBe(500)
        expect(gunzipSync(answer.body).toString()).toBe(text)
      },
    )

    it.runIf(fastLanes).each([
      ['short', 'gzip', text],
      ['long', 'gzip', text.repeat(100)],
      ['short', 'br', text],
    ])('that is %s is compressed by the lane itself, with %s', async (_, coding, body) => {
      const paths = [
        await serveText({ ...html, 'content-length': String(body.length) }, 200, body),
        // In chunks.
        await serve((_req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end(body)),
      ]
      let answeredByNode = 0
      const count = () => answeredByNode++
      bed.server.on('request', count)
      onTestFinished(() => void bed.server.off('request', count))
      for (const path of [...paths, ...paths]) {
        const answer = await ask(path, { 'accept-encoding': coding })
        expect(answer.headers['content-encoding']).toBe(coding)
        const decode = coding === 'gzip' ? gunzipSync : brotliDecompressSync
        expect(decode(answer.body).toString()).toBe(body)
      }
      expect(answeredByNode).toBe(0)
    })

    it('has the same header fields for HEAD, and no body', async () => {
      const path = await serveText({ ...html, etag: '"a"' })
      const { headers } = await ask(path, gzip)
      const head = await ask(path, gzip, 'HEAD')
      expect(head.body).toHaveLength(0)
      for (const name of ['content-encoding', 'vary', 'etag', 'content-length', 'content-type'])
        expect(head.headers[name]).toBe(headers[name])
      expect((await ask(path, {}, 'HEAD')).headers).toMatchObject({ ...html, etag: '"a"' })
    })

    it.each([204, 304])('with the status %i has no body and no coding', async status => {
      const answer = await ask(await serveText({ 'content-type': 'text/html' }, status, ''), gzip)
      expect(answer).toMatchObject({ status, text: '' })
      expect(answer.headers).not.toHaveProperty('content-encoding')
    })

    it('is sent as it is to a client of HTTP/1.0, which knows no chunks', async () => {
      const path = await serveText()
      const answer = await bed.send(
        `GET ${path} HTTP/1.0\r\nHost: shop.example.test\r\nAccept-Encoding: gzip\r\n\r\n`,
      )
      expect(answer).not.toMatch(/content-encoding/i)
      expect(answer.endsWith(text)).toBe(true)
    })

    it('is sent as it is if the request has no-transform', async () => {
      const answer = await ask(await serveText(), { ...gzip, 'cache-control': 'no-transform' })
      expect(answer.text).toBe(text)
    })

    it('is compressed in answer to a POST', async () => {
      const path = await serveText()
      for (let i = 0; i < 3; i++)
        expect(gunzipSync((await ask(path, gzip, 'POST')).body).toString()).toBe(text)
    })

    it('keeps its trailers', async () => {
      const path = await serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/plain', trailer: 'x-sum' })
        res.write(text)
        res.addTrailers({ 'x-sum': '7' })
        res.end()
      })
      const answer = await new Promise<IncomingMessage>(done =>
        get(
          { port: bed.port, path, agent, headers: { ...gzip, host: 'shop.example.test' } },
          message => void message.resume().on('end', () => done(message)),
        ),
      )
      expect(answer.headers['content-encoding']).toBe('gzip')
      expect(answer.trailers).toEqual({ 'x-sum': '7' })
    })
  })

  describe('a client that has the compressed answer', () => {
    it.each<[string, Handler]>([
      [
        'of an app that compares weakly',
        (req, res) => {
          const isHeld = req.headers['if-none-match']?.replace('W/', '') === '"a"'
          if (isHeld) res.writeHead(304, { etag: '"a"' }).end()
          else res.writeHead(200, { ...html, etag: '"a"' }).end(text)
        },
      ],
      [
        'of an app that compares the text',
        (req, res) => {
          const isHeld = req.headers['if-none-match'] === '"a"'
          if (isHeld) res.writeHead(304, { etag: '"a"' }).end()
          else res.writeHead(200, { ...html, etag: '"a"' }).end(text)
        },
      ],
    ])('gets a 304 %s', async (_, handler) => {
      const path = await serve(handler)
      const { headers } = await ask(path, gzip)
      expect(headers.etag).toBe('W/"a"')
      for (let i = 0; i < 3; i++) {
        const again = await ask(path, { ...gzip, 'if-none-match': headers.etag })
        expect(again).toMatchObject({ status: 304, text: '' })
        expect(again.headers.etag).toBe('W/"a"')
        expect(again.headers).not.toHaveProperty('content-encoding')
      }
      // Another client has the answer as it is.
      const other = await ask(path, { 'if-none-match': '"a"' })
      expect(other).toMatchObject({ status: 304 })
      expect(other.headers.etag).toBe('"a"')
    })
  })

  describe('a stream of an app', () => {
    it.each(['text/event-stream', 'text/html'])(
      'of the type %s reaches the client piece by piece',
      async type => {
        let app!: ServerResponse
        const path = await serve((_req, res) => {
          app = res.writeHead(200, { 'content-type': type })
          res.write('data: 0\n\n')
        })
        for (const coding of ['gzip', 'br']) {
          const message = await new Promise<IncomingMessage>(done =>
            get(
              { port: bed.port, path, headers: { 'accept-encoding': coding, host: 'shop.example.test' } },
              done,
            ),
          )
          onTestFinished(() => void message.destroy())
          expect(message.headers['content-encoding']).toBe(coding)
          const decoder = coding === 'gzip' ? createGunzip() : createBrotliDecompress()
          let received = ''
          message.pipe(decoder).on('data', chunk => {
            received += chunk
          })
          for (let i = 1; i < 5; i++) {
            await expect.poll(() => received).toContain(`data: ${i - 1}\n\n`)
            app.write(`data: ${i}\n\n`)
          }
          app.end()
          await new Promise(done => decoder.once('end', done))
          expect(received).toContain('data: 4')
        }
      },
    )

    it.each(['gzip', 'identity'])(
      'begins before its first bytes come, with Accept-Encoding: %s',
      async accepted => {
        let app!: ServerResponse
        const path = await serve((_req, res) => {
          app = res.writeHead(200, { 'content-type': 'text/event-stream' })
          res.flushHeaders()
        })
        const message = await new Promise<IncomingMessage>(done =>
          get(
            { port: bed.port, path, headers: { 'accept-encoding': accepted, host: 'shop.example.test' } },
            done,
          ),
        )
        expect(message.statusCode).toBe(200)
        const ended = new Promise(done => message.resume().once('end', done))
        app.end()
        await ended
      },
    )

    it('ends when the client goes away', async () => {
      let closed = 0
      const path = await serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 0\n\n')
        res.on('close', () => closed++)
      })
      const before = bed.apps.underWay
      const req = get({ port: bed.port, path, headers: { ...gzip, host: 'shop.example.test' } }, message =>
        message.once('data', () => req.destroy()),
      )
      req.on('error', () => undefined)
      await expect.poll(() => closed).toBe(1)
      await expect.poll(() => bed.apps.underWay).toBe(before)
    })

    it('is broken for the client if the app breaks it off', async () => {
      const path = await serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/html' }).write(text)
        setImmediate(() => res.destroy())
      })
      for (let i = 0; i < 3; i++) await expect(ask(path, gzip)).rejects.toThrow()
      const withLength = await serve((_req, res) => {
        res.writeHead(200, { ...html, 'content-length': String(2 * text.length) }).write(text)
        setImmediate(() => res.destroy())
      })
      for (let i = 0; i < 3; i++) await expect(ask(withLength, gzip)).rejects.toThrow()
    })

    it('is no faster than the client', async () => {
      const piece = Buffer.from(Array.from({ length: 65_536 }, () => 33 + Math.floor(Math.random() * 90)))
      let written = 0
      let isFull = false
      const pieces = 800
      const path = await serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/plain' })
        const more = () => {
          isFull = false
          while (written < pieces * piece.length && !isFull) {
            isFull = !res.write(piece)
            written += piece.length
          }
          if (isFull) res.once('drain', more)
          else res.end()
        }
        more()
      })
      const message = await new Promise<IncomingMessage>(done =>
        get({ port: bed.port, path, headers: { ...gzip, host: 'shop.example.test' } }, done),
      )
      message.pause()
      await settled(() => written)
      expect(written).toBeLessThan((pieces * piece.length) / 2)
      let received = 0
      for await (const chunk of message.pipe(createGunzip())) received += (chunk as Buffer).length
      expect(received).toBe(pieces * piece.length)
    })
  })
})

/** Waits until the number has not changed for a while. */
async function settled(read: () => number): Promise<void> {
  let last = -1
  let same = 0
  await expect
    .poll(
      () => {
        same = read() === last ? same + 1 : 0
        last = read()
        return same
      },
      { interval: 50, timeout: 30_000 },
    )
    .toBeGreaterThan(10)
}
