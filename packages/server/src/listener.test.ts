import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, Connections } from './edge/connections.ts'
import type { Exchange } from './edge/exchange.ts'
import type { HotFile } from './edge/hot-files.ts'
import { type ListenOptions, listen } from './listener.ts'
import { exchange } from './testing/connection.ts'
import { eventually } from './testing/eventually.ts'

const timeouts = { handshake: 0, headers: 60_000, request: 60_000, idle: 0, check: 10 }

/** A listener whose every request is answered with `hello`, but for posts, which wait for their body. */
async function open(more: Partial<ListenOptions>): Promise<number> {
  const listener = await listen({ host: '127.0.0.1', port: 0, timeouts, ...more })
  onTestFinished(() => listener.stop(0))
  const hosts = { find: () => ({ to: 'unknown' }) as const }
  const handle = ({ isReading, res }: Exchange) => {
    if (isReading) res.end('hello')
  }
  const upgrade = (_exchange: Exchange, wish: { decline(): void }) => wish.decline()
  const edge = {
    handle,
    upgrade,
    findHot: () => undefined,
    findStored: () => undefined,
    countHot: () => undefined,
    findApp: () => undefined,
    countApp: () => undefined,
    mayUseLane: () => false,
  }
  const transport = { handle: (_exchange: Exchange, next: () => void) => next(), mayLaneAnswer: () => true }
  listener.dispatchTo({ hosts, parts: {}, edge, transport })
  return listener.port
}

function dial(port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** All that comes until the server closes. */
const answerTo = (socket: Socket, bytes: string): Promise<string> =>
  new Promise(done => {
    let text = ''
    socket.on('data', data => {
      text += data
    })
    socket.on('close', () => done(text))
    socket.write(bytes)
  })

const get = 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nConnection: close\r\n\r\n'

test.each([
  ['head', 'GET / HTTP/1.1\r\nHost: shop.example.test\r\nX-'],
  ['body', 'POST / HTTP/1.1\r\nHost: shop.example.test\r\nContent-Length: 100\r\n\r\n{'],
])('a client that never sends the rest of its %s is cut off', async (_, begun) => {
  const port = await open({ timeouts: { ...timeouts, headers: 20, request: 40 } })
  expect(await answerTo(dial(port), begun)).toMatch(/^HTTP\/1\.1 408 /)
})

describe('a head that is too large', () => {
  const flood = Array.from({ length: 5_000 }, (_, i) => `X-${i}: y\r\n`).join('')
  test.each([
    ['by one field', get.replace('Connection', `X: ${'y'.repeat(20_000)}\r\nConnection`)],
    ['by thousands of fields', get.replace('Connection', `${flood}Connection`)],
    ['by its address', get.replace('/ ', `/${'a'.repeat(20_000)} `)],
    ['without an end', `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}`],
  ])('%s is refused, and the next client served', async (_, bytes) => {
    const port = await open({ headerBytes: 16 * 1024 })
    expect(await answerTo(dial(port), bytes)).toMatch(/^HTTP\/1\.1 431 /)
    expect(await answerTo(dial(port), get)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('is as large as the setting says', async () => {
    const port = await open({ headerBytes: 64 * 1024 })
    const bytes = get.replace('/ ', `/${'a'.repeat(20_000)} `)
    expect(await answerTo(dial(port), bytes)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('connections', () => {
  async function bounded(bounds: Partial<ConnectionLimits>) {
    const connections = new Connections({ inAll: 1_000, perNetwork: 0, isExempt: () => false, ...bounds })
    return { connections, port: await open({ connections }) }
  }
  const closed = (socket: Socket) => new Promise<void>(done => socket.once('close', () => done()))

  test('are at most as many as allowed, and when one ends the next is let in', async () => {
    const { connections, port } = await bounded({ inAll: 3 })
    const idle = [dial(port), dial(port), dial(port)]
    await eventually(async () => connections.open === 3)
    await closed(dial(port))
    idle[0]!.destroy()
    await eventually(async () => connections.open === 2)
    expect(await answerTo(dial(port), get)).toMatch(/hello/)
  })

  test('of one address cannot keep others out', async () => {
    const { connections, port } = await bounded({ inAll: 4, perNetwork: 2 })
    dial(port)
    dial(port)
    await eventually(async () => connections.open === 2)
    await closed(dial(port))
    expect(await answerTo(dial(port, '127.0.0.2'), get)).toMatch(/hello/)
  })

  test('that ask for another protocol again and again are counted once', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => void warnings.push(warning.message)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const connections = new Connections({ inAll: 3, perNetwork: 2, isExempt: () => false })
    const port = await open({ connections })
    const wish = get.replace('Connection: close', 'Connection: Upgrade\r\nUpgrade: other')
    const text = await exchange(port, [...Array<string>(30).fill(wish), get])
    expect(text.match(/hello/g)).toHaveLength(31)
    await eventually(async () => connections.open === 0)
    expect(warnings).toEqual([])
  })

  test('of a proxy are not counted for its address', async () => {
    const { connections, port } = await bounded({
      perNetwork: 2,
      isExempt: address => address === '127.0.0.1',
    })
    for (let i = 0; i < 10; i++) dial(port)
    await eventually(async () => connections.open === 10)
    expect(await answerTo(dial(port), get)).toMatch(/hello/)
  })

  test('by the thousand, idle or in the middle of a head or a body, keep nobody waiting', async () => {
    const { connections, port } = await bounded({ inAll: 5_000 })
    const begun = ['', 'GET / HTTP/1.1\r\nX-', 'POST / HTTP/1.1\r\nHost: a.b\r\nContent-Length: 9\r\n\r\n{']
    for (let i = 1; i <= 1_500; i++) {
      dial(port).write(begun[i % begun.length]!)
      // Not more at once than the system keeps for a listener: it may forget what is beyond that.
      if (i % 100 === 0) await eventually(async () => connections.open === i)
    }
    expect(await answerTo(dial(port), get)).toMatch(/hello/)
  })

  test('that break off in the middle of anything are forgotten', async () => {
    const { connections, port } = await bounded({})
    const begun = ['', 'GET / HTTP/1.1\r\nX-', get, 'POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{', '\0\xff']
    const sockets = Array.from({ length: 100 }, (_, i) => {
      const socket = dial(port)
      socket.write(begun[i % begun.length]!, () => socket.resetAndDestroy())
      return socket
    })
    await Promise.all(sockets.map(closed))
    await eventually(async () => connections.open === 0)
  })
})

test('without the fast lanes node:http answers every request', async () => {
  const asked: string[] = []
  const hosts = { find: () => ({ to: 'unknown' }) as const }
  const transport = { handle: (_exchange: Exchange, next: () => void) => next(), mayLaneAnswer: () => true }
  const edge = {
    handle: ({ res }: Exchange) => void res.end('by node:http'),
    upgrade: (_exchange: Exchange, wish: { decline(): void }) => wish.decline(),
    findHot: () => {
      asked.push('lane')
      return undefined
    },
    findStored: () => undefined,
    countHot: () => undefined,
    findApp: () => undefined,
    countApp: () => undefined,
    mayUseLane: () => false,
  }
  for (const fastLanes of [true, false]) {
    const listener = await listen({ host: '127.0.0.1', port: 0, timeouts, fastLanes })
    onTestFinished(() => listener.stop(0))
    listener.dispatchTo({ hosts, parts: {}, edge, transport })
    const socket = dial(listener.port)
    socket.once('data', () => socket.end())
    expect(await answerTo(socket, get.replace('close', 'keep-alive'))).toContain('by node:http')
  }
  expect(asked).toHaveLength(1)
})

const keepAlive = get.replace('close', 'keep-alive')

/** A listener whose lane answers `/hot` with a large file. node:http answers everything else. */
async function openWithLargeFile() {
  const body = Buffer.alloc(64 * 1024 * 1024)
  const representation = { html: false, etag: '"a"', modified: 0, size: body.length }
  const hot = { headers: ['Content-Length', String(body.length)], unchangedHeaders: [], body, representation }
  const edge = {
    handle: ({ res }: Exchange) => void res.end('by node:http'),
    upgrade: (_exchange: Exchange, wish: { decline(): void }) => wish.decline(),
    findHot: ({ target }: { target: string }) =>
      target === '/hot' ? (hot as unknown as HotFile) : undefined,
    findStored: () => undefined,
    countHot: () => undefined,
    findApp: () => undefined,
    countApp: () => undefined,
    mayUseLane: () => false,
  }
  const hosts = { find: () => ({ to: 'unknown' }) as const }
  const transport = { handle: (_exchange: Exchange, next: () => void) => next(), mayLaneAnswer: () => true }
  const listener = await listen({ host: '127.0.0.1', port: 0, timeouts })
  listener.dispatchTo({ hosts, parts: {}, edge, transport })
  return { listener, size: body.length }
}

/** Asks for the large file, and reads nothing of it. */
async function askForLargeFile(socket: Socket): Promise<void> {
  socket.pause()
  socket.write(keepAlive.replace('GET /', 'GET /hot'))
  await new Promise(begun => socket.once('readable', begun))
}

test('an answer of the fast lane is sent to its end when the program stops, also on a connection that node:http knows', async () => {
  const { listener, size } = await openWithLargeFile()
  const socket = dial(listener.port)
  socket.write(keepAlive)
  await new Promise(answered => socket.once('data', answered))
  await askForLargeFile(socket)
  const stopped = listener.stop(60_000)
  let received = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) received += chunk.length
  await stopped
  expect(received).toBeGreaterThan(size)
})

test('a client that does not read an answer of the fast lane does not keep the program from stopping', async () => {
  const { listener } = await openWithLargeFile()
  await askForLargeFile(dial(listener.port))
  await listener.stop(10)
})
