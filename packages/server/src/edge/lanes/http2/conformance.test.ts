// The cases of h2spec, the public suite for servers (sections of RFC 7540 and 7541 as it names them), played to the lane
// and to node:http2 alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goaway, preface, windowUpdate } from './frames.ts'
import {
  answered,
  answeredCases,
  block,
  closedStreamCases,
  codes,
  connectionErrors,
  get,
  streamErrors,
} from './testing/conformance-cases.ts'
import { frame, headers, ping, RawClient, settings, start } from './testing/raw-client.ts'
import { type LaneTestbed, startLaneTestbed } from './testing/testbed.ts'

let bed: LaneTestbed
beforeAll(async () => {
  bed = await startLaneTestbed()
})
afterAll(() => bed?.stop())

async function play(
  kind: 'lane' | 'node',
  parts: (Buffer | Buffer[])[],
  begin: Buffer = start,
): Promise<RawClient> {
  const client = await RawClient.begin(bed.ports[kind], begin)
  for (const part of parts) {
    client.send(...[part].flat())
    await client.roundTrip()
    const ids = [...client.streams.keys()]
    await client.until(() => ids.every(id => client.streams.get(id)!.end !== ''))
  }
  return client
}

const ended = (client: RawClient, id = 1) => client.until(() => (client.streams.get(id)?.end ?? '') !== '')

describe.each(['lane', 'node'] as const)('of the cases of h2spec, %s', kind => {
  it.each(answeredCases)('answers %s', async (_name, ...parts) => {
    const client = await play(kind, parts)
    await ended(client)
    expect(client.streams.get(1)).toMatchObject({ status: expect.stringMatching(/^(200|405)$/) })
    await client.roundTrip()
    expect([client.goaway, client.isClosed, client.violation]).toEqual([undefined, false, undefined])
  })

  it.each(connectionErrors)('ends the connection with %s for %s', async (code, _name, ...parts) => {
    const client = await play(kind, parts)
    await client.closed()
    expect(client.goaway?.code).toBe(codes[code])
  })

  it.each(streamErrors)('ends the stream with %s for %s', async (code, _name, ...parts) => {
    const client = await play(kind, parts)
    await ended(client)
    expect(client.goaway ?? client.streams.get(1)?.end).toBe(`reset ${codes[code]}`)
  })

  it.each(closedStreamCases)(
    'ends the connection with STREAM_CLOSED, or goes on without an answer, for %s',
    async (_name, ...parts) => {
      const client = await play(kind, parts)
      await client.roundTrip()
      expect([undefined, codes.STREAM_CLOSED]).toContain(client.goaway?.code)
      expect(client.streams.get(3)).toBeUndefined()
      expect(client.violation).toBeUndefined()
    },
  )

  it('closes a connection that begins with another preface', async () => {
    const client = await RawClient.open(bed.ports[kind])
    client.send(Buffer.from('INVALID CONNECTION PREFACE\r\n\r\n'))
    await client.closed()
  })

  it('closes a connection whose first frame is not SETTINGS', async () => {
    const client = await RawClient.open(bed.ports[kind])
    client.send(preface, headers(1, get()))
    await client.closed()
    expect(client.streams.size).toBe(0)
  })

  it('acknowledges SETTINGS and PING', async () => {
    const client = await play(kind, [[settings([[3, 100]]), ping('h2spec!!')]])
    expect(client.pings).toContain('h2spec!!')
    expect(client.acknowledged).toBe(2)
  })

  it('goes on after a GOAWAY with an unknown code, or ends', async () => {
    const client = await play(kind, [answered])
    client.send(goaway(0, 0xff))
    await client.until(() => client.hasEnded)
  })

  it('sends one byte into a window of one byte, and the rest when there is room', async () => {
    const client = await play(kind, [], Buffer.concat([preface, settings([[4, 1]])]))
    client.streamWindow = 1
    client.send(headers(1, get()))
    await client.until(() => client.streams.get(1)?.bytes === 1)
    await client.roundTrip()
    expect(client.streams.get(1)).toMatchObject({ bytes: 1, end: '' })
    client.send(client.grant(1, 100))
    await ended(client)
    expect([client.streams.get(1)?.bytes, client.violation]).toEqual([5, undefined])
  })

  it('follows changes of INITIAL_WINDOW_SIZE, also to a negative window', async () => {
    const client = await play(kind, [], Buffer.concat([preface, settings([[4, 3]])]))
    client.streamWindow = 3
    client.send(headers(1, get()))
    await client.until(() => client.streams.get(1)?.bytes === 3)
    client.send(settings([[4, 2]]))
    await client.roundTrip()
    client.streamWindow = 2
    client.send(client.grant(1, 2))
    await client.until(() => client.streams.get(1)?.bytes === 4)
    await client.roundTrip()
    expect(client.streams.get(1)).toMatchObject({ bytes: 4, end: '' })
    client.send(client.grant(1, 10))
    await ended(client)
    expect(client.streams.get(1)?.bytes).toBe(5)
  })

  it('takes the last of several INITIAL_WINDOW_SIZE values', async () => {
    const client = await play(kind, [])
    client.streamWindow = 1
    client.send(
      settings([
        [4, 100],
        [4, 1],
      ]),
      headers(1, get()),
    )
    await client.until(() => client.streams.get(1)?.bytes === 1)
    await client.roundTrip()
    expect([client.streams.get(1)?.bytes, client.violation]).toEqual([1, undefined])
  })

  it('ends a stream, or the connection, whose window goes beyond 31 bits, or is updated by 0', async () => {
    for (const update of [0x7fff_ffff, 0]) {
      const client = await play(kind, [], Buffer.concat([preface, settings([[4, 1]])]))
      client.send(headers(1, get()), windowUpdate(1, update))
      await ended(client)
      const code = update === 0 ? codes.PROTOCOL_ERROR : codes.FLOW_CONTROL_ERROR
      expect(client.streams.get(1)?.end || `reset ${client.goaway?.code}`).toBe(`reset ${code}`)
    }
  })

  it('refuses streams beyond SETTINGS_MAX_CONCURRENT_STREAMS', async () => {
    const client = await play(kind, [], Buffer.concat([preface, settings([[4, 0]])]))
    // With a window of 0 none of them can end.
    for (let id = 1; id <= 2 * 140; id += 2) client.send(headers(id, get()))
    await client.until(() => [...client.streams.values()].some(({ end }) => end !== ''))
    const [first] = [...client.streams].filter(([, { end }]) => end !== '')
    // nghttp2 ends the whole connection if the client has acknowledged the limit.
    expect(first?.[0] ?? 2 * 128 + 1).toBe(2 * 128 + 1)
    expect(first?.[1].end ?? `reset ${client.goaway?.code}`).toMatch(/^reset [17]$/)
  })

  it('takes a frame in pieces of one byte', async () => {
    const client = await play(kind, [])
    for (const byte of frame(1, 5, 1, block)) client.send(Buffer.from([byte]))
    await ended(client)
    expect(client.streams.get(1)?.status).toBe('200')
  })
})
