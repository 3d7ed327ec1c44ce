// Bodies of requests to apps by HTTP/2 whose clients break rules, and apps that read slowly. With the lane and without it, the client
// must see the same, and svcd must not keep more than the windows allow.
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { dataFrames, frameTypes } from './frames.ts'
import { requestFields } from './testing/app-differential.ts'
import { type Http2RawApp, isOver, startHttp2RawApp } from './testing/raw-app.ts'
import { frame, headers, RawClient } from './testing/raw-client.ts'

const MB = 1024 * 1024
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const bodyOf = (bytes: number) => Buffer.alloc(bytes, 'abcdefghij')
const post = (id: number, length: number) =>
  headers(id, [...requestFields('POST', '/form'), ['content-length', String(length)]], 4)

describe.each([true, false])('with the lane: %s', hasLane => {
  let http2: Http2RawApp['http2']
  let stop: Http2RawApp['stop']
  /** How many bytes the app received on each connection, without the head. */
  let received: Map<Socket, number>
  let onMore: (socket: Socket, bytes: number) => void

  beforeEach(async () => {
    received = new Map()
    onMore = socket => void socket.write(ok)
    const onChunk = (chunk: string, socket: Socket) => {
      const headEnd = received.has(socket) ? 0 : chunk.indexOf('\r\n\r\n') + 4
      const bytes = (received.get(socket) ?? 0) + chunk.length - headEnd
      received.set(socket, bytes)
      onMore(socket, bytes)
    }
    ;({ http2, stop } = await startHttp2RawApp(onChunk, { hasLane }))
    received.clear()
  })
  afterEach(() => stop())

  test('a client that sends more than the window of a stream is refused', async () => {
    onMore = socket => void socket.pause()
    const client = await RawClient.begin(http2.port)
    client.send(post(1, 100 * MB))
    for (let i = 0; i < 20 && !client.isOver && !isOver(client, 1); i++) {
      client.send(dataFrames(1, bodyOf(MB), false))
      await client.roundTrip()
    }
    const end = client.goaway?.code ?? client.streams.get(1)?.end
    expect([3, 'reset 3']).toContain(end)
  })

  test('a client that has too many requests with a body open is refused some', async () => {
    const client = await RawClient.begin(http2.port)
    const ids = Array.from({ length: 1_000 }, (_, i) => 2 * i + 1)
    client.send(...ids.map(id => post(id, 10)))
    await client.roundTrip()
    await client.until(() => ids.some(id => isOver(client, id)))
    const refused = ids.filter(id => client.streams.get(id)?.end === 'reset 7')
    expect(client.goaway !== undefined || refused.length >= 1_000 - 3 * 128).toBe(true)
  })

  test('a client that sends empty DATA frames without end is disconnected', async () => {
    const client = await RawClient.begin(http2.port)
    client.send(post(1, 10), post(3, 100_000))
    const empty = [1, 3].map(id => frame(frameTypes.data, 0, id))
    for (let i = 0; i < 1_000 && !client.isOver; i++) client.send(...empty)
    await client.roundTrip()
    expect(client.isOver).toBe(true)
  })

  test('an app that reads slowly gets the whole body in the end', async () => {
    let mayRead = false
    onMore = (socket, bytes) => {
      if (bytes >= 8 * MB) socket.write(ok)
      else if (!mayRead) socket.pause()
    }
    const client = await RawClient.begin(http2.port)
    const piece = bodyOf(16 * 1024)
    client.send(post(1, 8 * MB))
    let sent = 0
    const window = () => Math.min(MB + client.granted(1), 65_535 + client.granted(0)) - sent
    const send = async (until: () => boolean) => {
      while (sent < 8 * MB && !until()) {
        await client.until(() => window() >= piece.length || until())
        if (until()) return
        sent += piece.length
        client.send(dataFrames(1, piece, sent === 8 * MB))
      }
    }
    const before = http2.counts.ofNode
    // Until no window is left.
    const filled = send(() => mayRead)
    await eventually(() => window() < piece.length)
    await eventually(() => http2.counts.ofNode > before || !hasLane)
    mayRead = true
    for (const socket of received.keys()) socket.resume()
    client.send(frame(frameTypes.ping, 0, 0, Buffer.from('wake you')))
    await filled
    await send(() => false)
    await client.until(() => isOver(client, 1))
    expect(client.contents.get(1)).toBe('ok')
    expect([...received.values()]).toContain(8 * MB)
  })
})
