// Whatever an app sends and whenever its visitors leave, by whichever protocol they came: the platform goes on.
import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { Exchange } from '../exchange.ts'
import { http2Connections } from '../https/http2-server.ts'
import { startRawApp, startTestApp, type TestApp } from './testapp.ts'

let bed: TestApp
let raw: Awaited<ReturnType<typeof startRawApp>>
let http2: Server
/** What the app answers to anything; nothing where it is empty. */
let reply: string
let asked = 0
/** Lets the visitor of a guarded site in. */
let admit: (() => void) | undefined

beforeAll(async () => {
  const admits = () =>
    new Promise<boolean>(resolve => {
      admit = () => resolve(true)
    })
  bed = await startTestApp((_req, res) => res.end(), {}, { gate: { admits } })
  raw = await startRawApp((_chunk, socket) => {
    asked++
    if (reply !== '') socket.end(reply, 'latin1')
  })
  bed.apps.address = { host: '127.0.0.1', port: raw.port }
  const timeouts = { keepAlive: 60_000, idle: 60_000, request: 60_000 }
  const sessions = http2Connections((req, res) => bed.edge.handle(new Exchange(req, res, bed.hosts)), {
    headerBytes: 16 * 1024,
    timeouts,
  })
  http2 = createServer(socket => sessions.accept(socket as Socket as Parameters<typeof sessions.accept>[0]))
  await new Promise<void>(listening => http2.listen(0, '127.0.0.1', listening))
})

afterAll(async () => {
  http2.close()
  await raw.stop()
  await bed.stop()
})

const overHttp1 = (path: string, version = '1.1', method = 'GET') =>
  bed.send(`${method} ${path} HTTP/${version}\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n`)

async function overHttp2(path: string) {
  const session = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
  const stream = session.request({ ':path': path, ':authority': 'shop.example.test' })
  const seen = { status: 0, hints: [] as number[], trailers: {} as IncomingHttpHeaders, body: '' }
  stream.on('headers', headers => seen.hints.push(Number(headers[':status'])))
  stream.on('response', headers => {
    seen.status = Number(headers[':status'])
  })
  stream.on('trailers', trailers => {
    seen.trailers = trailers
  })
  stream.on('data', chunk => {
    seen.body += chunk
  })
  await once(stream, 'close')
  session.close()
  return seen
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'
const chunked = (...trailers: string[]) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\n${trailers
    .map(line => `${line}\r\n`)
    .join('')}\r\n`

describe('an answer with', () => {
  test('word that it is under way reaches those who can be told', async () => {
    reply = `HTTP/1.1 102 Processing\r\n\r\n${ok}`
    expect(await overHttp1('/')).toMatch(/^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    expect(await overHttp1('/', '1.0')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await overHttp2('/')).toMatchObject({ status: 200, body: 'ok' })
  })

  test('hints reaches those who know of such', async () => {
    reply = `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n${ok}`
    expect(await overHttp1('/', '1.0')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await overHttp2('/')).toMatchObject({ hints: [103], status: 200, body: 'ok' })
  })

  test.each([
    ['count', 'HTTP/1.1 102 Processing\r\n\r\n', 101],
    ['size', `HTTP/1.1 103 Early Hints\r\nLink: </${'a'.repeat(8_000)}>; rel=preload\r\n\r\n`, 9],
  ])('more before it than anybody needs, by %s, is none', async (_, interim, times) => {
    reply = interim.repeat(times - 1) + ok
    const statusOf = (text: string) => text.match(/(?<=^HTTP\/1\.1 )[2-5]\d\d/gm)
    expect(statusOf(await overHttp1('/'))).toEqual(['200'])
    reply = interim.repeat(times) + ok
    expect(statusOf(await overHttp1('/'))).toEqual(['502'])
    expect(await overHttp2('/')).toMatchObject({ status: 502 })
  })

  test.each(['a\x01b', '\x7f'])(
    'a reason of characters that nobody may send keeps its status',
    async reason => {
      reply = `HTTP/1.1 404 ${reason}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno`
      expect(await overHttp1('/')).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[\s\S]*\r\n\r\nno$/)
      expect(await overHttp2('/')).toMatchObject({ status: 404, body: 'no' })
    },
  )

  test('trailers keeps those that may be passed on', async () => {
    reply = chunked('X-Sum: 3', 'Connection: close', 'Host: other')
    expect(await overHttp1('/')).toMatch(/0\r\nX-Sum: 3\r\n\r\n$/)
    expect((await overHttp2('/')).trailers).toMatchObject({ 'x-sum': '3' })
  })

  test.each([
    ['that do not come', `HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\n${ok.slice(ok.indexOf('\n') + 1)}`],
    ['that come', chunked('X-Sum: 3').replace('\r\n', '\r\nTrailer: X-Sum\r\n')],
  ])('trailers announced %s is an answer for everyone', async (_, answer) => {
    reply = answer
    for (const [version, method] of [['1.1'], ['1.0'], ['1.1', 'HEAD']] as const)
      expect(await overHttp1('/', version, method)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(await overHttp2('/')).toMatchObject({ status: 200, body: 'ok' })
  })

  test('announced trailers can be kept', async () => {
    reply = chunked('X-Sum: 3').replace('\r\n', '\r\nTrailer: X-Sum\r\nCache-Control: s-maxage=60\r\n')
    for (const state of ['MISS', 'HIT'])
      expect(await overHttp1('/kept')).toContain(`X-Svc-Cache: ${state}\r\n`)
  })

  test.each(['099', '000', '101'])('the status %s is a 502', async status => {
    reply = `HTTP/1.1 ${status} Odd\r\nUpgrade: foo\r\nConnection: upgrade\r\nContent-Length: 2\r\n\r\nok`
    expect(await overHttp1('/')).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
    expect(await overHttp2('/')).toMatchObject({ status: 502 })
  })
})

test('a visitor by HTTP/2 who goes away ends the request at the app', async () => {
  reply = ''
  const before = asked
  const session = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
  session.on('error', () => undefined)
  const stream = session.request({ ':path': '/leaving', ':authority': 'shop.example.test' })
  stream.on('error', () => undefined)
  await eventually(async () => asked > before)
  stream.close(8)
  await eventually(async () => bed.apps.underWay === 0)
  session.destroy()
})

describe('a visitor who disconnects during the check of the gate', () => {
  const leave: [string, () => Promise<() => void>][] = [
    [
      'HTTP/1.1',
      async () => {
        const socket = connect(bed.port, '127.0.0.1', () =>
          socket.write('GET / HTTP/1.1\r\nHost: closed.example.test\r\n\r\n'),
        )
        return () => void socket.destroy()
      },
    ],
    [
      'an upgrade',
      async () => {
        const socket = connect(bed.port, '127.0.0.1', () =>
          socket.write(
            'GET / HTTP/1.1\r\nHost: closed.example.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
          ),
        )
        return () => void socket.resetAndDestroy()
      },
    ],
    [
      'HTTP/2',
      async () => {
        const session = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`)
        session.on('error', () => undefined)
        const stream = session.request({ ':path': '/', ':authority': 'closed.example.test' })
        stream.on('error', () => undefined)
        return () => session.destroy()
      },
    ],
  ]

  test.each(leave)('by %s causes no request to the app', async (_, come) => {
    const guard = { mode: 'org', projectId: 'prj_closed', project: 'closed', generation: 1 } as const
    await bed.deployApp('closed', undefined, { guard })
    const before = { asked, told: bed.accesses.length }
    admit = undefined
    const go = await come()
    await eventually(async () => admit !== undefined)
    go()
    await eventually(async () => bed.accesses.length > before.told)
    admit!()
    // Whoever comes next is answered, and nobody is waited for.
    reply = ok
    expect((await bed.ask('shop', '/next')).text).toBe('ok')
    await eventually(async () => bed.apps.underWay === 0)
    expect(asked - before.asked).toBe(1)
  })
})
