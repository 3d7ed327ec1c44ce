// Requests to apps on connections that end: what began before the GOAWAY of either side comes to its end.
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { dataFrames, frameTypes } from './frames.ts'
import { requestFields, startHttp2App } from './testing/app-differential.ts'
import { type Http2RawApp, isOver, startHttp2RawApp } from './testing/raw-app.ts'
import { frame, headers, RawClient } from './testing/raw-client.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none'
const goaway = frame(frameTypes.goaway, 0, 0, Buffer.alloc(8))
const bodyOf = (bytes: number) => Buffer.alloc(bytes, 'x')
const post = (id: number) => headers(id, [...requestFields('POST', '/form'), ['content-length', '100000']], 4)

describe.each([true, false])('with the lane: %s', hasLane => {
  let bed: Http2RawApp['bed']
  let http2: Http2RawApp['http2']
  let stop: Http2RawApp['stop']
  let received: Map<Socket, string>
  let onMore: (socket: Socket, text: string) => void

  beforeEach(async () => {
    received = new Map()
    onMore = socket => void socket.write(ok)
    const onChunk = (chunk: string, socket: Socket) => {
      const text = (received.get(socket) ?? '') + chunk
      received.set(socket, text)
      onMore(socket, text)
    }
    ;({ bed, http2, stop } = await startHttp2RawApp(onChunk, { hasLane }))
    received.clear()
  })
  afterEach(() => stop())

  /** Resolves when the sessions were looked at a few times: node:http2 gets a late body at the second look. */
  async function looks(): Promise<void> {
    const { port, counts, stop } = await startHttp2App(bed, true)
    onTestFinished(stop)
    for (let i = 0; i < 2; i++) {
      const client = await RawClient.begin(port)
      const before = counts.ofNode
      client.send(headers(1, [...requestFields('POST', '/late'), ['content-length', '3']], 4))
      await eventually(() => counts.ofNode > before)
      client.close()
    }
  }

  test('a client may say goodbye while it sends a body', async () => {
    onMore = (socket, text) => {
      if (text.length > 100_000) socket.write(ok)
    }
    const client = await RawClient.begin(http2.port)
    client.send(post(1), dataFrames(1, bodyOf(40_000), false), goaway)
    await looks()
    client.send(dataFrames(1, bodyOf(60_000), true))
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
  })

  test('a client may say goodbye while it receives an answer', async () => {
    onMore = socket => void socket.write(begun)
    const client = await RawClient.begin(http2.port)
    client.send(headers(1, requestFields('GET', '/')))
    await client.until(() => client.contents.get(1) === 'one')
    client.send(goaway)
    const [socket] = received.keys()
    onMore = () => undefined
    await looks()
    socket!.write('two')
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('onetwo')
  })

  test('an answer that has begun comes to its end when svcd stops', async () => {
    onMore = socket => void socket.write(begun)
    const client = await RawClient.begin(http2.port)
    client.send(headers(1, requestFields('GET', '/')))
    await client.until(() => client.contents.get(1) === 'one')
    const stopped = http2.stopSoon(600_000, 0)
    const [socket] = received.keys()
    onMore = () => undefined
    await looks()
    socket!.write('two')
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('onetwo')
    client.close()
    await stopped
  })

  // A GOAWAY of the client refuses streams of the server, of which there are none (RFC 9113, 6.8). node:http2 alone takes no more requests.
  if (hasLane)
    test('a client may send a request behind its goodbye while it receives an answer', async () => {
      onMore = socket => void socket.write(begun)
      const client = await RawClient.begin(http2.port)
      client.send(headers(1, requestFields('GET', '/')))
      await client.until(() => client.contents.get(1) === 'one')
      const [socket] = received.keys()
      onMore = other => void other.write(ok)
      client.send(goaway, headers(3, requestFields('GET', '/more')))
      await client.until(() => isOver(client, 3))
      expect(client.contents.get(3)).toBe('ok')
      socket!.write('two')
      await client.until(() => isOver(client, 1))
      expect(client.contents.get(1)).toBe('onetwo')
    })
})
