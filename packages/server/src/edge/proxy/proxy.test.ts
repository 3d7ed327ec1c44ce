import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Fault } from '../../lib/fault.ts'
import { eventually } from '../../testing/eventually.ts'
import { startRawApp, startTestApp, type TestApp, textOf } from './testapp.ts'

let bed: TestApp

afterEach(() => bed.stop())

const start = async (listener: (req: IncomingMessage, res: ServerResponse) => void, ...rest: Rest) => {
  bed = await startTestApp(listener, ...rest)
  return bed
}
type Rest = Parameters<typeof startTestApp> extends [unknown, ...infer R] ? R : never

/** A request whose body the test sends, and whose answer it reads, by itself. */
function open(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const headers = { host: 'shop.example.test', ...options.headers }
  const req = request({ port: bed.port, host: '127.0.0.1', agent: false, path, ...options, headers })
  const answered = once(req, 'response').then(([res]) => res as IncomingMessage)
  answered.catch(() => undefined)
  return { req, answered }
}

describe('a request to a server app', () => {
  test('reaches it as it was written, and its answer comes back as it was given', async () => {
    await start(async (req, res) => {
      const body = await textOf(req)
      res.writeHead(418, 'Short and stout', ['X-Tea', 'yes', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'])
      res.end(`${req.method} ${req.url} ${req.headers.host} ${body}`)
    })
    const { req, answered } = open('/a%2Fb/../c?x=1&y', {
      method: 'PROPFIND',
      headers: { 'content-length': '4' },
    })
    req.end('body')
    const res = await answered
    expect([res.statusCode, res.statusMessage]).toEqual([418, 'Short and stout'])
    expect(res.headers).toMatchObject({ 'x-tea': 'yes', 'set-cookie': ['a=1', 'b=2'] })
    expect(await textOf(res)).toBe('PROPFIND /a%2Fb/../c?x=1&y shop.example.test body')
  })

  test('names the deployment that answered, and nothing that the app says of that itself', async () => {
    await start((_req, res) => res.writeHead(200, { 'x-svc-deployment': 'mine' }).end('ok'))
    const { id } = await bed.deployApp('shop')
    expect((await bed.ask('shop', '/')).headers['x-svc-deployment']).toBe(id)
  })

  test('keeps previews out of search engines', async () => {
    await start((_req, res) => res.writeHead(200, { 'x-robots-tag': 'all' }).end('ok'))
    const { id } = await bed.deployApp('shop')
    const { headers } = await bed.ask(`${id.replace('_', '-')}--shop`, '/')
    expect(headers['x-robots-tag']).toBe('noindex')
    expect((await bed.ask('shop', '/')).headers['x-robots-tag']).toBe('all')
  })

  test('never sees what is below /_svc/', async () => {
    await start((_req, res) => res.end('app'))
    for (const path of ['/_svc/x', '/%5Fsvc/x']) expect((await bed.ask('shop', path)).status).toBe(404)
    expect((await bed.ask('shop', '/_svc')).text).toBe('app')
  })

  test('shares connections to the app with others', async () => {
    const sockets = new Set<unknown>()
    await start((req, res) => {
      sockets.add(req.socket)
      res.end('ok')
    })
    for (let i = 0; i < 5; i++) await bed.ask('shop', '/')
    expect(sockets.size).toBe(1)
  })

  test('keeps the app awake until it is answered', async () => {
    let held: ServerResponse | undefined
    await start((_req, res) => {
      held = res
    })
    const answer = bed.ask('shop', '/')
    await eventually(async () => held !== undefined)
    expect(bed.apps.underWay).toBe(1)
    held?.end('ok')
    await answer
    await eventually(async () => bed.apps.underWay === 0)
  })
})

describe('an answer of a server app', () => {
  test.each([
    ['HEAD', 200, { 'content-length': '5' }],
    ['GET', 204, {}],
    ['GET', 304, { etag: '"x"' }],
  ])('to %s with status %i has no body', async (method, status, headers) => {
    await start((_req, res) => res.writeHead(status, headers).end())
    const answer = await bed.ask('shop', '/', { method })
    expect(answer).toMatchObject({ status, text: '' })
    expect(answer.headers).toMatchObject(headers)
    expect(answer.headers['transfer-encoding']).toBeUndefined()
  })

  test('is streamed as it is written, with its trailers', async () => {
    let held: ServerResponse | undefined
    await start((_req, res) => {
      held = res
      res.writeHead(200, { trailer: 'X-Sum' })
      res.write('one')
    })
    const { req, answered } = open('/')
    req.end()
    const res = await answered
    expect(String((await once(res, 'data'))[0])).toBe('one')
    held?.addTrailers({ 'X-Sum': '3' })
    held?.end('two')
    expect(await textOf(res)).toBe('two')
    expect(res.trailers).toEqual({ 'x-sum': '3' })
  })

  test('may be preceded by hints', async () => {
    await start((_req, res) => {
      res.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      res.end('ok')
    })
    const { req, answered } = open('/')
    const hinted = once(req, 'information')
    req.end()
    expect((await hinted)[0]).toMatchObject({
      statusCode: 103,
      headers: { link: expect.stringContaining('style') },
    })
    expect(await textOf(await answered)).toBe('ok')
  })

  test('waits for a visitor who reads slowly', async () => {
    const chunk = Buffer.alloc(1024 * 1024)
    let written = 0
    await start(async (_req, res) => {
      for (let i = 0; i < 64; i++) {
        written++
        if (!res.write(chunk)) await once(res, 'drain')
      }
      res.end()
    })
    const { req, answered } = open('/')
    req.end()
    const res = await answered
    await new Promise(settle => setTimeout(settle, 50))
    expect(written).toBeLessThan(64)
    let size = 0
    for await (const part of res) size += part.length
    expect(size).toBe(64 * chunk.length)
  })

  test('that breaks off does not look whole', async () => {
    await start((_req, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('half', () => res.destroy())
    })
    const { req, answered } = open('/')
    req.end()
    const res = await answered
    await expect(textOf(res)).rejects.toThrow('aborted')
  })
})

describe('a body for a server app', () => {
  test('is streamed while it is sent, both ways at once', async () => {
    await start((req, res) => req.pipe(res))
    const { req, answered } = open('/', { method: 'POST' })
    req.write('one')
    const res = await answered
    expect(String((await once(res, 'data'))[0])).toBe('one')
    req.end('two')
    expect(await textOf(res)).toBe('two')
  })

  test('waits for an app that reads slowly', async () => {
    let held: [IncomingMessage, ServerResponse] | undefined
    await start((...exchange) => {
      held = exchange
    })
    const { req, answered } = open('/', { method: 'POST' })
    const chunk = Buffer.alloc(1024 * 1024)
    let drained = true
    for (let i = 0; i < 64; i++) drained = req.write(chunk)
    expect(drained).toBe(false)
    req.end()
    await eventually(async () => held !== undefined)
    const [incoming, outgoing] = held!
    let size = 0
    for await (const part of incoming) size += part.length
    outgoing.end(String(size))
    expect(await textOf(await answered)).toBe(String(64 * chunk.length))
  })

  test('is asked for only when the app asks for it', async () => {
    await start(() => undefined)
    let held: [IncomingMessage, ServerResponse] | undefined
    bed.app.on('checkContinue', (...exchange: [IncomingMessage, ServerResponse]) => {
      held = exchange
    })
    const headers = { expect: '100-continue', 'content-length': '4' }
    const { req, answered } = open('/', { method: 'POST', headers })
    let continued = false
    req.on('continue', () => {
      continued = true
      req.end('body')
    })
    req.flushHeaders()
    await eventually(async () => held !== undefined)
    expect(continued).toBe(false)
    const [incoming, outgoing] = held!
    outgoing.writeContinue()
    outgoing.end(await textOf(incoming))
    expect(await textOf(await answered)).toBe('body')
  })

  test('that the app does not want is not sent', async () => {
    await start(() => undefined)
    bed.app.on('checkContinue', (_req, res: ServerResponse) => res.writeHead(413).end('no'))
    const headers = { expect: '100-continue', 'content-length': '4' }
    const { req, answered } = open('/', { method: 'POST', headers })
    req.flushHeaders()
    const res = await answered
    expect(res.statusCode).toBe(413)
    req.destroy()
  })

  test('that the app answers before its end does not hold up the connection', async () => {
    await start((_req, res) => res.writeHead(403).end('no'))
    const answers = await bed.send(
      `POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}` +
        'GET /two HTTP/1.1\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n',
    )
    expect(answers.match(/HTTP\/1\.1 403/g)).toHaveLength(2)
  })
})

describe('a visitor who goes away', () => {
  test('ends the request at the app, before and while it answers', async () => {
    let closed = 0
    await start((req, res) => {
      res.on('close', () => closed++)
      if (req.url === '/begun') res.write('begun')
    })
    for (const path of ['/waiting', '/begun']) {
      const { req, answered } = open(path)
      req.on('error', () => undefined)
      req.end()
      if (path === '/begun') await once(await answered, 'data')
      else await once(bed.app, 'request')
      const before = closed
      req.destroy()
      await eventually(async () => closed === before + 1)
    }
    await eventually(async () => bed.apps.underWay === 0)
    expect(bed.errors).toEqual([])
    // One had no answer at all, and is not counted as one that had.
    await eventually(async () => bed.accesses.length === 2)
    expect(bed.accesses.map(({ status }) => status)).toEqual([0, 200])
  })

  test('ends the wait for an app that is starting', async () => {
    await start((_req, res) => res.end('ok'))
    let gaveUp = false
    bed.apps.onReach = signal =>
      new Promise((_done, fail) => {
        signal?.addEventListener('abort', () => {
          gaveUp = true
          fail(signal.reason)
        })
      })
    const socket = connect(bed.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: shop.example.test\r\n\r\n')
    await eventually(async () => bed.apps.reached === 1)
    socket.destroy()
    await eventually(async () => gaveUp && bed.apps.underWay === 0)
  })
})

describe('an app that does not answer', () => {
  test('because it cannot be started is a 503 that says when to come back', async () => {
    await start(() => undefined)
    bed.apps.onReach = () => {
      throw new Fault('unavailable', 'It crashed.')
    }
    const page = await bed.ask('shop', '/')
    expect(page.status).toBe(503)
    expect(page.headers['retry-after']).toBe('5')
    expect(page.text).toContain('The app is not running')
    const json = await bed.ask('shop', '/', { headers: { accept: 'application/json' } })
    expect(JSON.parse(json.text).error.code).toBe('app_unavailable')
  })

  test('because nobody listens there any more is asked again at its new address', async () => {
    await start((req, res) => void textOf(req).then(body => res.end(body)))
    const { port } = bed.apps.address
    bed.apps.address = { host: '127.0.0.1', port: 1 }
    bed.apps.onReach = () => {
      if (bed.apps.failures.length > 0) bed.apps.address = { host: '127.0.0.1', port }
    }
    const { req, answered } = open('/', { method: 'POST', headers: { 'content-length': '4' } })
    req.end('body')
    expect(await textOf(await answered)).toBe('body')
    expect(bed.apps.failures).toEqual([{ host: '127.0.0.1', port: 1 }])
  })

  test('because nobody ever listens is a 502', async () => {
    await start(() => undefined)
    bed.apps.address = { host: '127.0.0.1', port: 1 }
    expect((await bed.ask('shop', '/')).status).toBe(502)
    expect(bed.errors).toHaveLength(1)
  })

  test.each([
    ['ends the connection', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH\r\n'],
    ['says its length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'changes the protocol unasked',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ],
  ])('but %s is a 502', async (_, bytes) => {
    await start(() => undefined)
    const raw = await startRawApp((_chunk, socket) => void socket.end(bytes))
    bed.apps.address = { host: '127.0.0.1', port: raw.port }
    const page = await bed.ask('shop', '/')
    expect(page.status).toBe(502)
    expect(page.text).toContain('The app did not answer')
    await raw.stop()
  })

  test('because nobody takes the connection is asked again at its new address', async () => {
    await start((_req, res) => res.end('moved'), {
      appTimeouts: { connect: 50, answer: 60_000, idle: 60_000 },
    })
    const { address } = bed.apps
    // An address that no machine has: no word comes back, or that there is no way to it.
    bed.apps.address = { host: '192.0.2.1', port: 9 }
    bed.apps.onReach = () => {
      if (bed.apps.failures.length > 0) bed.apps.address = address
    }
    expect((await bed.ask('shop', '/')).text).toBe('moved')
  })

  test('in time is a 504', async () => {
    await start(() => undefined, { appTimeouts: { answer: 50, idle: 60_000 } })
    const page = await bed.ask('shop', '/')
    expect(page.status).toBe(504)
    expect(page.text).toContain('took too long')
    await eventually(async () => bed.apps.underWay === 0)
  })

  test('to its end is cut off', async () => {
    await start((_req, res) => void res.write('begun'), { appTimeouts: { answer: 60_000, idle: 50 } })
    const { req, answered } = open('/')
    req.end()
    await expect(answered.then(textOf)).rejects.toThrow('aborted')
  })

  test('is not blamed for a visitor who sends slowly', async () => {
    await start(() => undefined, { appTimeouts: { answer: 20, idle: 60_000 } })
    const { req } = open('/', { method: 'POST' })
    req.on('error', () => undefined)
    req.write('slow')
    await eventually(async () => bed.apps.underWay === 1)
    await new Promise(pass => setTimeout(pass, 100))
    expect(bed.apps.underWay).toBe(1)
    req.destroy()
  })

  test('because it closed an idle connection is asked again on another', async () => {
    await start(() => undefined)
    let connections = 0
    const served = new WeakSet<object>()
    const raw = await startRawApp((_chunk, socket) => {
      // Each connection is good for one answer, and does not say so.
      if (served.has(socket)) return void socket.destroy()
      served.add(socket)
      connections++
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    bed.apps.address = { host: '127.0.0.1', port: raw.port }
    for (let i = 0; i < 3; i++) expect((await bed.ask('shop', '/')).text).toBe('ok')
    expect(connections).toBe(3)
    await raw.stop()
  })

  test('because it closed all idle connections is asked again on a new one', async () => {
    await start(() => undefined)
    const [first, served] = [new Set<Socket>(), new Set<Socket>()]
    const answer = (socket: Socket) => {
      served.add(socket)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    }
    const raw = await startRawApp((_chunk, socket) => {
      if (served.has(socket)) return void socket.destroy()
      if (first.size === 5) return answer(socket)
      if (first.add(socket).size === 5) for (const each of first) answer(each)
    })
    bed.apps.address = { host: '127.0.0.1', port: raw.port }
    const ask = async () => (await bed.ask('shop', '/')).text
    await Promise.all(Array.from({ length: 5 }, ask))
    expect(await ask()).toBe('ok')
    await raw.stop()
  })
})
