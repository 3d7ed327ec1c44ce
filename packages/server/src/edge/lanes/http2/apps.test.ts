// Requests by HTTP/2 that the lane passes to an app.
import type { Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { dataFrames, preface } from './frames.ts'
import { requestFields } from './testing/app-differential.ts'
import { type Http2RawApp, isOver, startHttp2RawApp } from './testing/raw-app.ts'
import { type Fields, headers, RawClient, rstStream, settings } from './testing/raw-client.ts'

let bed: Http2RawApp['bed']
let http2: Http2RawApp['http2']
let stop: Http2RawApp['stop']
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
  const onChunk = (chunk: string, socket: Socket) => {
    received.push(chunk)
    const path = chunk.split(' ', 2)[1]!
    asked.set(path, socket)
    reply(socket, path)
  }
  ;({ bed, http2, stop } = await startHttp2RawApp(onChunk, { asked: paths }))
  received = []
  asked.clear()
})
afterEach(() => stop())

const get = (id: number, path: string, fields: Fields = []) =>
  headers(id, [...requestFields('GET', path), ...fields])
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

test('the lane compresses answers, and goes on after one that the client resets', async () => {
  const body = 'Some words of a page. '.repeat(5_000)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n`
  reply = (socket, path) => void socket.write(path === '/a' ? head + body.slice(1) : head + body)
  const client = await RawClient.begin(http2.port)
  client.send(get(1, '/a', [['accept-encoding', 'gzip']]), get(3, '/b', [['accept-encoding', 'gzip']]))
  await client.until(() => isOver(client, 3) && client.streams.get(1)?.status !== undefined)
  client.send(rstStream(1), get(5, '/b', [['accept-encoding', 'br']]), get(7, '/b'))
  client.send(client.grant(0, body.length), client.grant(7, body.length))
  await client.until(() => isOver(client, 5) && isOver(client, 7))
  expect(http2.counts.passed).toBe(4)
  const contentOf = (id: number) => Buffer.from(client.contents.get(id)!, 'latin1')
  expect(client.streams.get(3)!.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
  })
  expect(client.streams.get(3)!.headers).not.toHaveProperty('content-length')
  expect(gunzipSync(contentOf(3)).toString()).toBe(body)
  expect(brotliDecompressSync(contentOf(5)).toString()).toBe(body)
  expect(client.contents.get(7)).toBe(body)
  const logged = bed.accesses.map(({ status, bytes }) => [status, bytes])
  expect(logged).toContainEqual([200, contentOf(3).length])
  await eventually(() => bed.accesses.length === 4 && bed.apps.underWay === 0)
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

describe('a request with a body', () => {
  const post = (id: number, path: string, length: number, fields: Fields = []) =>
    headers(id, [...requestFields('POST', path), ['content-length', String(length)], ...fields], 4)
  const data = (id: number, text: string, isLast = true) => dataFrames(id, Buffer.from(text), isLast)

  test('goes to the app when its body has come', async () => {
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 6), data(1, 'abc', false))
    await client.roundTrip()
    expect(received).toEqual([])
    client.send(data(1, 'def'))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
    expect(received).toEqual([
      expect.stringMatching(/^POST \/a HTTP\/1\.1\r\n[\s\S]*\r\nContent-Length: 6\r\n[\s\S]*\r\n\r\nabcdef$/),
    ])
    expect(http2.counts.passed).toBe(1)
  })

  test('goes through the lane again and again, for much longer than the window of the connection lasts', async () => {
    const client = await RawClient.begin(http2.port)
    const body = 'x'.repeat(60_000)
    for (let id = 1; id < 121; id += 2) {
      received = []
      reply = socket => {
        if (received.join('').length > body.length) socket.write(ok)
      }
      client.send(post(id, '/a', body.length), data(id, body))
      await client.until(() => isOver(client, id))
      expect(client.contents.get(id)).toBe('ok')
    }
    expect(client.goaway).toBeUndefined()
    expect(http2.counts.passed).toBe(60)
  })

  test.each([
    ['closes the connection', (socket: Socket) => void socket.destroy()],
    ['answers with something else than HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH\r\n')],
  ])('is not sent again if the app %s', async (_, answer) => {
    reply = answer
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 3), data(1, 'a=1'))
    await client.until(() => isOver(client, 1))
    expect(client.streams.get(1)!.status).toBe('502')
    expect(received).toHaveLength(1)
    expect(http2.counts.passed).toBe(1)
  })

  test('is not sent again if only node:http reads the answer', async () => {
    reply = socket => void socket.write(unusual)
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 3), data(1, 'a=1'))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('odd')
    expect(received).toHaveLength(1)
    // The lane still answers on this connection.
    reply = socket => void socket.write(ok)
    client.send(post(3, '/b', 3), data(3, 'b=1'))
    await client.until(() => isOver(client, 3))
    expect(http2.counts.passed).toBe(2)
  })

  test("whose body comes slowly is node:http2's", async () => {
    reply = () => undefined
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 6), data(1, 'abc', false), client.grant(1, 5))
    await eventually(() => received.join('').endsWith('abc'))
    client.send(data(1, 'def'))
    await eventually(() => received.join('').endsWith('abcdef'))
    asked.get('/a')!.write(ok)
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
    expect(http2.counts.passed).toBe(0)
  })

  test('is finished although svcd has begun to stop', async () => {
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 6), data(1, 'abc', false))
    await client.roundTrip()
    const stopped = http2.stopSoon(60_000, 0)
    await client.until(() => client.goaway !== undefined)
    client.send(data(1, 'def'))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
    await stopped
  })

  test("with Expect is node:http2's from the start", async () => {
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 6, [['expect', '100-continue']]), data(1, 'abcdef'))
    await client.until(() => isOver(client, 1))
    expect(http2.counts.passed).toBe(0)
  })

  test("with trailers, or with more than it declares, is node:http2's", async () => {
    const client = await RawClient.begin(http2.port)
    client.send(post(1, '/a', 3), data(1, 'abc', false), headers(1, [['x-last', 'y']]))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
    const other = await RawClient.begin(http2.port)
    other.send(post(1, '/b', 3), data(1, 'abcd'))
    await other.until(() => isOver(other, 1))
    expect(other.streams.get(1)!.end).toBe('reset 1')
    expect(http2.counts.passed).toBe(0)
  })

  test('many bodies at once do not use up the window: the lane keeps a part of them', async () => {
    reply = () => undefined
    const client = await RawClient.begin(http2.port)
    const ids = Array.from({ length: 40 }, (_, at) => 2 * at + 1)
    for (const id of ids) client.send(post(id, `/p${id}`, 50_000), data(id, 'x'.repeat(49_999), false))
    await client.roundTrip()
    for (const id of ids) client.send(data(id, 'x'))
    for (const id of ids) await whenAsked(`/p${id}`)
    for (const id of ids) asked.get(`/p${id}`)!.write(ok)
    await client.until(() => ids.every(id => isOver(client, id)))
    expect(ids.every(id => client.contents.get(id) === 'ok')).toBe(true)
    expect(client.goaway).toBeUndefined()
  })

  test('that the client resets is forgotten, and its window is given back', async () => {
    const client = await RawClient.begin(http2.port)
    for (let id = 1; id < 121; id += 2)
      client.send(post(id, '/a', 60_000), data(id, 'x'.repeat(59_000), false), rstStream(id))
    client.send(post(121, '/b', 3), data(121, 'a=1'))
    await client.until(() => isOver(client, 121))
    expect(client.contents.get(121)).toBe('ok')
    expect(received).toHaveLength(1)
    expect(client.goaway).toBeUndefined()
  })
})
