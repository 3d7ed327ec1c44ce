import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Exchange } from './exchange.ts'
import { FastLane } from './fast-lane.ts'
import type { HotFile } from './hot-files.ts'
import { readPlainGet } from './plain-get.ts'
import { startTestbed, type Testbed } from './testbed.ts'

const get = (path: string, ...fields: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: shop.example.test', ...fields, '', ''].join('\r\n')

describe('a plain GET', () => {
  test('is read with all that its answer depends on', () => {
    const browser = get(
      '/a?b',
      'Connection: keep-alive',
      'User-Agent: x',
      'Accept-Encoding:\tgzip, br ',
      'Cookie: a=b; c',
    )
    expect(readPlainGet(Buffer.from(browser))).toEqual({
      target: '/a?b',
      host: 'shop.example.test',
      acceptEncoding: 'gzip, br',
      fields: browser.slice(browser.indexOf('Host'), -2),
    })
    expect(readPlainGet(Buffer.from(get('/')))).toEqual({
      target: '/',
      host: 'shop.example.test',
      acceptEncoding: undefined,
      fields: 'Host: shop.example.test\r\n',
    })
  })

  test.each([
    ['another method', get('/').replace('GET', 'HEAD')],
    ['another version', get('/').replace('1.1', '1.0')],
    ['an absolute target', get('http://shop.example.test/')],
    ['a space in its target', get('/a b')],
    ['raw bytes in its target', get('/\xff')],
    ['no Host', 'GET / HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    ['two Hosts', get('/', 'host: other.example.test')],
    ['two Accept-Encodings', get('/', 'Accept-Encoding: br', 'Accept-Encoding: gzip')],
    ['the wish to close', get('/', 'Connection: close')],
    ['an upgrade', get('/', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['a body', `${get('/', 'Content-Length: 3')}abc`],
    ['an empty body', get('/', 'Content-Length: 0')],
    ['a chunked body', get('/', 'Transfer-Encoding: chunked')],
    ['a space before a colon', get('/', 'Transfer-Encoding : chunked')],
    ['a folded field', get('/', 'X: a', ' Transfer-Encoding: chunked')],
    ['a bare line feed', get('/', 'X: a\nTransfer-Encoding: chunked')],
    ['a bare carriage return', get('/', 'X: a\rTransfer-Encoding: chunked')],
    ['NUL', get('/', 'X: \0')],
    ['a field without a name', get('/', ': x')],
    ['a field without a colon', get('/', 'x')],
    ['a condition', get('/', 'If-None-Match: "x"')],
    ['a range', get('/', 'RANGE: bytes=0-1')],
    ['an expectation', get('/', 'Expect: 100-continue')],
    ['another request behind it', get('/') + get('/')],
    ['a part missing', get('/').slice(0, -2)],
    ['a line before it', `\r\n${get('/')}`],
    ['more than 8 KB', get('/', `X: ${'x'.repeat(8192)}`)],
    ['nothing', ''],
  ])('has not %s', (_, bytes) => {
    expect(readPlainGet(Buffer.from(bytes, 'latin1'))).toBeUndefined()
  })
})

test.each([
  'Content-Length',
  'Transfer-Encoding',
  'Trailer',
  'TE',
  'Expect',
  'Upgrade',
  'HTTP2-Settings',
  'Proxy-Connection',
  'Range',
  'If-Range',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
])('%s is never overlooked, however it is written', name => {
  for (const written of [name, name.toLowerCase(), name.toUpperCase()])
    expect(readPlainGet(Buffer.from(get('/', 'Accept: */*', `${written}: x`, 'Cookie: a')))).toBeUndefined()
})

describe('the fast lane', () => {
  let bed: Testbed
  let plain: Server
  let plainPort: number

  beforeAll(async () => {
    bed = await startTestbed()
    await bed.deploy('shop', {
      'index.html': 'home',
      'about.html': 'about',
      'medium.txt': 'm'.repeat(100_000),
      'large.txt': 'l'.repeat(300_000),
      '404.html': 'missing',
    })
    plain = createServer((req, res) => bed.edge.handle(new Exchange(req, res, bed.hosts)))
    await new Promise<void>(done => plain.listen(0, '127.0.0.1', done))
    plainPort = (plain.address() as AddressInfo).port
    for (const path of ['/', '/about', '/medium.txt', '/nowhere']) await bed.ask('shop', path)
    for (const path of ['/', '/about']) await bed.ask('shop', path, { headers: { 'accept-encoding': 'br' } })
  })

  afterAll(async () => {
    plain.close()
    plain.closeAllConnections()
    await bed.stop()
  })

  /** Everything that comes back to these chunks on one connection, the last of which asks to close it. */
  function exchange(port: number, chunks: string[]): Promise<string> {
    return new Promise((done, fail) => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true }, async () => {
        for (const chunk of chunks) {
          socket.write(chunk, 'latin1')
          await new Promise(next => setImmediate(next))
        }
      })
      const answers: Buffer[] = []
      socket.on('data', chunk => answers.push(chunk))
      socket.on('error', fail)
      socket.on('close', () =>
        done(
          Buffer.concat(answers)
            .toString('latin1')
            .replace(/\r\n(?:Date|X-Svc-Request-Id): [^\r]*/g, '')
            .replace(/Request req_\w+/g, 'Request'),
        ),
      )
    })
  }

  test('answers exactly as node:http does, whatever comes on a connection and however it is cut', async () => {
    const request = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(get('/'), get('/about?x'), get('/medium.txt')) },
      fc.constantFrom(
        get('/', 'Accept-Encoding: br', 'Connection: keep-alive'),
        get('/large.txt'),
        get('/nowhere'),
        get('/about/'),
        get('/%zz'),
        get('/', 'Range: bytes=1-2'),
        get('/', 'If-Match: "x"'),
        get('/').replace('GET', 'HEAD'),
        get('/').replace('GET', 'POST'),
        get('/').replace('shop', 'nobody'),
        `${get('/', 'Content-Length: 4')}GET `,
        `${get('/', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`,
      ),
    )
    // First on its connection: behind a request, node:http may refuse it before that one is answered, or after.
    const nonsense = fc.constantFrom('nonsense\r\n\r\n', get('/', 'Transfer-Encoding : chunked'))
    const cut = fc.array(fc.nat({ max: 400 }), { maxLength: 3 })
    const sequence = fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.tuple(request, cut), { maxLength: 5 }) },
      fc.tuple(fc.tuple(nonsense, cut)),
    )
    await fc.assert(
      fc.asyncProperty(sequence, async parts => {
        const chunks = parts.flatMap(([bytes, cuts]) => cutAt(bytes, cuts))
        const last = get('/', 'Connection: close')
        const [fast, slow] = await Promise.all([
          exchange(bed.port, [...chunks, last]),
          exchange(plainPort, [...chunks, last]),
        ])
        expect(fast).toBe(slow)
      }),
      { numRuns: 300 },
    )
    expect(bed.errors).toEqual([])
  })

  test('does not read on from a client that takes no answers, and goes on when it does', async () => {
    const wanted = 400
    const size = await new Promise<number>((done, fail) => {
      let received = 0
      const socket = connect(bed.port, '127.0.0.1', () => {
        socket.pause()
        let sent = 0
        const more = () => {
          if (sent++ === wanted) socket.write(get('/', 'Connection: close'))
          else socket.write(get('/medium.txt'), () => setImmediate(more))
        }
        more()
        setImmediate(() => socket.resume())
      })
      socket.on('data', chunk => {
        received += chunk.length
      })
      socket.on('error', fail)
      socket.on('close', () => done(received))
    })
    expect(size).toBeGreaterThan(wanted * 100_000)
  })

  test('forgets a deployment as soon as it is told to', async () => {
    await bed.deploy('moving', { 'index.html': 'one' })
    const ask = () => exchange(bed.port, [get('/').replace('shop', 'moving'), get('/', 'Connection: close')])
    await ask()
    expect(await ask()).toContain('one')
    await bed.deploy('moving', { 'index.html': 'two' })
    expect(await ask()).toContain('two')
  })

  test('ends its connections when it is closed', async () => {
    const own = await startTestbed()
    await own.deploy('shop', { 'index.html': 'home' })
    await own.ask('shop', '/')
    const closed = new Promise<void>(done => {
      const socket = connect(own.port, '127.0.0.1', () => socket.write(get('/')))
      socket.once('data', () => void own.stop())
      socket.on('close', () => done())
    })
    await closed
  })
})

function cutAt(bytes: string, cuts: number[]): string[] {
  const points = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return points
    .slice(1)
    .map((point, i) => bytes.slice(points[i], point))
    .filter(chunk => chunk !== '')
}

describe('a connection of the fast lane', () => {
  test('that takes nothing of its answers is cut off, however little is left to send', async () => {
    const server = createServer()
    server.setTimeout(50)
    const body = Buffer.alloc(4 * 1024)
    const hot = { headers: ['Content-Length', String(body.length)], body } as unknown as HotFile
    const lane = new FastLane(server, () => hot)
    const accepted = new Promise<Socket>(accept => server.once('connection', accept))
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => {
      lane.close()
      server.close()
    })
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.pause()
    const socket = await accepted
    while (socket.writableLength === 0) {
      const before = socket.bytesRead
      client.write(get('/'))
      while (socket.bytesRead === before) await new Promise(setImmediate)
    }
    if (!socket.destroyed) await new Promise(closed => socket.once('close', closed))
  })

  test('that takes its answer slowly is not taken for an idle one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = createServer({ keepAliveTimeout: 10_000 })
    const body = Buffer.alloc(64 * 1024 * 1024)
    const hot = { headers: ['Content-Length', String(body.length)], body } as unknown as HotFile
    const lane = new FastLane(server, () => hot)
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => {
      lane.close()
      server.close()
    })
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.write(get('/'))
    await new Promise(begun => client.once('readable', begun))
    vi.advanceTimersByTime(60_000)
    let received = 0
    for await (const chunk of client as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > body.length) break
    }
    expect(received).toBeGreaterThan(body.length)
  })
})
