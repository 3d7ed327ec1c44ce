// Requests by HTTP/2 that the lane passes to an app.
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { patient, startRawApp, startTestApp, type TestApp } from '../../proxy/testapp.ts'
import { preface } from './frames.ts'
import { requestFields, startHttp2App } from './testing/app-differential.ts'
import { type Fields, headers, RawClient, rstStream, settings } from './testing/raw-client.ts'

let bed: TestApp
let app: Awaited<ReturnType<typeof startRawApp>>
let http2: Awaited<ReturnType<typeof startHttp2App>>
/** What the app received, and the connections on which it did, by path. */
let received: string[]
let asked: Map<string, Socket>
let reply: (socket: Socket, path: string) => void

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
/** An answer that only node:http reads: its head has no reason. */
const unusual = 'HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nodd'
const paths = ['/', '/a', '/b', '/c', '/d']

beforeEach(async () => {
  received = []
  asked = new Map()
  reply = socket => void socket.write(ok)
  app = await startRawApp((chunk, socket) => {
    received.push(chunk)
    const path = chunk.split(' ', 2)[1]!
    asked.set(path, socket)
    reply(socket, path)
  })
  bed = await startTestApp((_req, res) => res.end(), { fastLanes: false, appTimeouts: patient })
  bed.apps.address = { host: '127.0.0.1', port: app.port }
  http2 = await startHttp2App(bed, true)
  // The cache learns that the answers are not stored, and connections to the app are opened.
  const client = await RawClient.begin(http2.port)
  client.send(...paths.map((path, i) => get(2 * i + 1, path)))
  await client.until(() => paths.every((_, i) => isOver(client, 2 * i + 1)))
  client.close()
  await eventually(() => bed.apps.underWay === 0)
  received = []
  asked.clear()
  http2.counts.passed = 0
  bed.accesses.length = 0
})
afterEach(async () => {
  await http2.stop()
  await bed.stop()
  await app.stop()
})

const get = (id: number, path: string, fields: Fields = []) =>
  headers(id, [...requestFields('GET', path), ...fields])
const isOver = (client: RawClient, id: number) => (client.streams.get(id)?.end ?? '') !== ''
const whenAsked = (path: string) => eventually(() => asked.has(path))

test('the lane passes a request of a browser, with its cookies in one field', async () => {
  const client = await RawClient.begin(http2.port)
  const fields: Fields = [
    ['user-agent', 'Mozilla/5.0'],
    ['accept-encoding', 'gzip, br'],
    ['cookie', 'a=1'],
    ['te', 'trailers'],
    ['cookie', 'b=2'],
    ['x-forwarded-for', '6.6.6.6'],
  ]
  client.send(get(1, '/a', fields))
  await client.until(() => isOver(client, 1))
  expect(http2.counts.passed).toBe(1)
  expect(received[0]).toMatch(/^GET \/a HTTP\/1\.1\r\nHost: shop\.example\.test\r\n/)
  expect(received[0]).toContain('\r\nCookie: a=1; b=2\r\n')
  expect(received[0]).not.toMatch(/6\.6\.6\.6|\r\nte:/)
  expect(client.contents.get(1)).toBe('ok')
  expect(client.streams.get(1)!.headers).toMatchObject({ 'x-svc-cache': 'BYPASS', 'content-length': '2' })
})

test('an answer is in the access log, with the id that the app and the client were told', async () => {
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a'))
  await client.until(() => isOver(client, 1))
  const [access] = bed.accesses
  expect(access).toMatchObject({ status: 200, bytes: 2, cache: 'BYPASS', source: 'app', target: '/a' })
  expect(received[0]).toContain(`X-Svc-Request-Id: ${access!.requestId}\r\n`)
})

describe('an answer that only node:http reads', () => {
  beforeEach(() => {
    reply = () => undefined
  })

  test('comes from the connection on which the lane sent the request', async () => {
    reply = socket => void socket.write(unusual)
    const client = await RawClient.begin(http2.port)
    client.send(get(1, '/a'))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('odd')
    expect(received).toHaveLength(1)
  })

  test('reaches its stream after node:http2 has answered later ones', async () => {
    const client = await RawClient.begin(http2.port)
    client.send(get(1, '/a'), get(3, '/b'), get(5, '/c'))
    await whenAsked('/c')
    // Ranges are for node:http2.
    client.send(get(7, '/nothing', [['range', 'bytes=0-1']]))
    await whenAsked('/nothing')
    for (const path of ['/b', '/a', '/nothing', '/c'])
      asked.get(path)!.write(unusual.replace('odd', path.slice(0, 2).padEnd(3)))
    await client.until(() => [1, 3, 5, 7].every(id => isOver(client, id)))
    expect([1, 3, 5, 7].map(id => client.contents.get(id))).toEqual(['/a ', '/b ', '/c ', '/n '])
    // Later streams have other ids at node:http2 now, and the client may still reset them and enlarge their windows.
    client.send(get(9, '/late', [['range', 'bytes=0-1']]), client.grant(9, 1_000), get(11, '/d'))
    await whenAsked('/late')
    asked.get('/late')!.write(unusual)
    await client.until(() => isOver(client, 9))
    expect(client.contents.get(9)).toBe('odd')
    client.send(get(13, '/gone', [['range', 'bytes=0-1']]))
    await whenAsked('/gone')
    client.send(rstStream(13))
    await client.roundTrip()
    await eventually(() => asked.get('/gone')!.destroyed)
    asked.get('/d')!.write(ok)
    await client.until(() => isOver(client, 11))
    expect(client.contents.get(11)).toBe('ok')
    expect(client.goaway).toBeUndefined()
    expect(received).toHaveLength(7)
  })

  test('may use the window that the client gave its stream before', async () => {
    const client = await RawClient.open(http2.port)
    client.streamWindow = 1
    client.send(preface, settings([[4, 1]]), get(1, '/a'), client.grant(1, 1))
    await whenAsked('/a')
    asked.get('/a')!.write(unusual)
    await client.until(() => client.contents.get(1) === 'od')
    client.send(client.grant(1, 1))
    await client.until(() => client.contents.get(1) === 'odd')
    expect(client.violation).toBeUndefined()
    client.close()
  })

  test('reaches its client although svcd has begun to stop', async () => {
    const client = await RawClient.begin(http2.port)
    client.send(get(1, '/a'))
    await whenAsked('/a')
    const stopped = http2.stopSoon(60_000, 0)
    await client.until(() => client.goaway !== undefined)
    asked.get('/a')!.write(unusual)
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('odd')
    await stopped
  })
})

test('a part of an answer reaches the client before the next part comes', async () => {
  reply = socket => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nfirst \r\n')
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a'))
  await client.until(() => client.contents.get(1) === 'first ')
  asked.get('/a')!.write('4\r\nlast\r\n0\r\n\r\n')
  await client.until(() => isOver(client, 1))
  expect(client.contents.get(1)).toBe('first last')
  expect(http2.counts.passed).toBe(1)
})

test('trailers of an app end the stream', async () => {
  reply = socket =>
    void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 3\r\n\r\n')
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a'))
  await client.until(() => isOver(client, 1))
  expect(client.contents.get(1)).toBe('ok')
  expect(client.streams.get(1)!.headers['x-sum']).toBe('3')
})

test('the app is read only as fast as the client takes its answer, and other streams go on', async () => {
  const length = 64 * 1024 * 1024
  reply = (socket, path) => {
    if (path === '/b') return void socket.write(ok)
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(length, 'x'))
  }
  const client = await RawClient.begin(http2.port)
  client.send(client.grant(0, 2 * length), get(1, '/a'))
  await client.until(() => client.streams.get(1)?.bytes === 65_535)
  client.send(get(3, '/b'))
  await client.until(() => isOver(client, 3))
  expect(asked.get('/a')!.writableLength).toBeGreaterThan(length / 2)
  client.send(client.grant(1, length))
  await client.until(() => isOver(client, 1))
  expect(client.streams.get(1)!.bytes).toBe(length)
  expect(client.violation).toBeUndefined()
})

test.each([
  ['resets the stream', (client: RawClient) => client.send(rstStream(1))],
  ['goes away', (client: RawClient) => client.close()],
])('the connection to the app is closed when the client %s', async (_, leave) => {
  reply = () => undefined
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a'))
  await whenAsked('/a')
  leave(client)
  await eventually(() => asked.get('/a')!.destroyed && bed.apps.underWay === 0)
  expect(bed.accesses.map(({ status }) => status)).toEqual([0])
})

test('an answer that the app breaks off is reset', async () => {
  reply = socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok')
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a'))
  await client.until(() => isOver(client, 1))
  expect(client.streams.get(1)!.end).toBe('reset 2')
  expect(client.contents.get(1)).toBe('ok')
})
