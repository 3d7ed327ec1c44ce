// Requests by HTTP/2 with a body that is too long to be kept. The lane passes it to the app as it comes.
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { dataFrames } from './frames.ts'
import { requestFields } from './testing/app-differential.ts'
import { type Http2RawApp, isOver, startHttp2RawApp } from './testing/raw-app.ts'
import { headers, RawClient, rstStream } from './testing/raw-client.ts'

let bed: Http2RawApp['bed']
let http2: Http2RawApp['http2']
let stop: Http2RawApp['stop']
/** What the app received on each connection, and what it does when more comes. */
let received: Map<Socket, string>
let onMore: (socket: Socket, text: string) => void

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const bodyIn = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)
const textOf = () => [...received.values()].join('')
const bodyOf = (bytes: number) => Buffer.alloc(bytes, 'abcdefghij')

beforeEach(async () => {
  received = new Map()
  onMore = (socket, text) => {
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (bodyIn(text).length < length) return
    received.delete(socket)
    socket.write(ok)
  }
  ;({ bed, http2, stop } = await startHttp2RawApp((chunk, socket) => {
    const text = (received.get(socket) ?? '') + chunk
    received.set(socket, text)
    onMore(socket, text)
  }))
  received.clear()
})
afterEach(() => stop())

const post = (id: number, length: number, method = 'POST') =>
  headers(id, [...requestFields(method, '/form'), ['content-length', String(length)]], 4)

/** Sends the head and a part of the body, and waits until the app has it. */
async function begin(length: number, part: Buffer, method = 'POST'): Promise<RawClient> {
  const client = await RawClient.begin(http2.port)
  client.send(post(1, length, method), dataFrames(1, part, false))
  await eventually(() => bodyIn(textOf()).length === part.length && textOf().includes('\r\n\r\n'))
  return client
}

test('the app gets the body as it comes, and the lane its answer', async () => {
  const body = bodyOf(100_000)
  const client = await begin(body.length, body.subarray(0, 40_000))
  let whole = ''
  onMore = (socket, text) => {
    if (bodyIn(text).length < body.length) return
    whole = bodyIn(text)
    socket.write(ok)
  }
  client.send(dataFrames(1, body.subarray(40_000), true))
  await client.until(() => isOver(client, 1))
  expect(client.contents.get(1)).toBe('ok')
  expect(whole).toBe(body.toString())
  expect(http2.counts.passed).toBe(1)
  await eventually(() => bed.accesses.length === 1)
  expect(bed.accesses[0]).toMatchObject({ method: 'POST', status: 200, bytes: 2 })
})

test('bodies may be much longer than the windows of the stream and the connection', async () => {
  const client = await RawClient.begin(http2.port)
  const window = { stream: 0, connection: 65_535 }
  const body = bodyOf(16_000)
  for (let id = 1; id < 8; id += 2) {
    const count = 200
    client.send(post(id, count * body.length))
    window.stream = 1024 * 1024
    for (let i = 1; i <= count; i++) {
      window.stream -= body.length
      window.connection -= body.length
      await client.until(
        () => client.granted(id) + window.stream >= 0 && client.granted(0) + window.connection >= 0,
      )
      client.send(dataFrames(id, body, i === count))
    }
    await client.until(() => isOver(client, id))
    expect(client.contents.get(id)).toBe('ok')
  }
  expect(client.goaway).toBeUndefined()
  expect(http2.counts.passed).toBe(4)
})

test('an app may answer before it has the whole body, and go on reading', async () => {
  const body = bodyOf(100_000)
  const client = await begin(body.length, body.subarray(0, 40_000))
  const [socket] = received.keys()
  onMore = () => undefined
  socket!.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
  await client.until(() => client.contents.get(1) === 'one')
  client.send(dataFrames(1, body.subarray(40_000), true))
  await eventually(() => bodyIn(textOf()).length === body.length)
  expect(bodyIn(textOf())).toBe(body.toString())
  socket!.write('0\r\n\r\n')
  await client.until(() => isOver(client, 1))
  expect(client.streams.get(1)!.end).toBe('end')
})

test.each(['POST', 'PUT'])('a %s is not sent again if the app closes the connection', async method => {
  const client = await begin(100_000, bodyOf(40_000), method)
  const [socket] = received.keys()
  socket!.destroy()
  await client.until(() => client.streams.get(1)?.status !== undefined)
  client.send(dataFrames(1, bodyOf(60_000), true))
  await client.until(() => isOver(client, 1))
  expect(client.streams.get(1)!.status).toBe('502')
  expect([...received.keys()]).toHaveLength(1)
})

test.each([
  ['less', 90_000],
  ['more', 110_000],
])('a body with %s than it declares is refused', async (_, bytes) => {
  const client = await begin(100_000, bodyOf(40_000))
  const [socket] = received.keys()
  const closed = new Promise(done => socket!.once('close', done))
  client.send(dataFrames(1, bodyOf(bytes - 40_000), true))
  await client.until(() => isOver(client, 1))
  expect(client.streams.get(1)!.end).toBe('reset 1')
  await closed
})

test('trailers are dropped', async () => {
  const client = await begin(100_000, bodyOf(40_000))
  client.send(dataFrames(1, bodyOf(60_000), false), headers(1, [['x-last', 'y']]))
  await client.until(() => isOver(client, 1))
  expect(client.contents.get(1)).toBe('ok')
})

test('a client that resets the request ends it, and others go on', async () => {
  const client = await begin(100_000, bodyOf(40_000))
  const [socket] = received.keys()
  const closed = new Promise(done => socket!.once('close', done))
  client.send(rstStream(1))
  await closed
  client.send(post(3, 100_000), dataFrames(3, bodyOf(100_000), true))
  await client.until(() => isOver(client, 3))
  expect(client.contents.get(3)).toBe('ok')
  expect(client.goaway).toBeUndefined()
  expect(http2.counts.passed).toBe(2)
})

test("the rest of a body that comes slowly is node:http2's", async () => {
  const body = bodyOf(100_000)
  const client = await begin(body.length, body.subarray(0, 40_000))
  const before = http2.counts.ofNode
  await eventually(() => http2.counts.ofNode > before)
  let whole = ''
  onMore = (socket, text) => {
    whole = bodyIn(text)
    if (whole.length === body.length) socket.write(ok)
  }
  client.send(dataFrames(1, body.subarray(40_000), true))
  await client.until(() => isOver(client, 1))
  expect(client.contents.get(1)).toBe('ok')
  expect(whole).toBe(body.toString())
})
