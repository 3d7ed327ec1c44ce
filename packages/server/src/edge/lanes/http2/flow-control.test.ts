import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { preface } from './frames.ts'
import { get } from './testing/conformance-cases.ts'
import { headers, RawClient, rstStream, settings, start } from './testing/raw-client.ts'
import { type LaneTestbed, startLaneTestbed } from './testing/testbed.ts'

const MB = 1024 * 1024
const largerBytes = 300_000

let bed: LaneTestbed
beforeAll(async () => {
  bed = await startLaneTestbed()
})
afterAll(() => bed?.stop())

const open = (beginning = start, { ports } = bed) => RawClient.begin(ports.lane, beginning)

/** A client whose windows are never full. */
async function openWide(from = bed): Promise<RawClient> {
  const client = await open(Buffer.concat([preface, settings([[4, 1024 * MB]])]), from)
  client.streamWindow = 1024 * MB
  client.send(client.grant(0, 1024 * MB))
  return client
}

const ask = (id: number, path: string) => headers(id, get([], path))
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, at) => 2 * at + from)
const endOf = (client: RawClient, id: number) => client.streams.get(id)?.end ?? ''
const bytesOf = (client: RawClient, id: number) => client.streams.get(id)?.bytes ?? 0

describe('a file that is larger than the windows', () => {
  it('comes from the lane as the client enlarges them', async () => {
    const client = await open()
    const before = { ...bed.counts }
    client.send(ask(1, '/larger.txt'))
    await client.until(() => client.window === 0)
    while (endOf(client, 1) === '') {
      client.send(client.grant(1, 9_000), client.grant(0, 10_000))
      await client.roundTrip()
    }
    expect([bytesOf(client, 1), client.violation]).toEqual([largerBytes, undefined])
    expect(bed.counts).toEqual({ lane: before.lane + 1, node: before.node })
  })

  it('follows the SETTINGS of the client, also to a negative window', async () => {
    const client = await open()
    client.send(client.grant(0, MB), ask(1, '/larger.txt'))
    await client.until(() => bytesOf(client, 1) === 65_535)
    client.send(settings([[4, 1_000]]), client.grant(1, 60_000))
    await client.roundTrip()
    expect(bytesOf(client, 1)).toBe(65_535)
    client.streamWindow = largerBytes
    client.send(settings([[4, largerBytes]]), client.grant(1, largerBytes))
    await client.until(() => endOf(client, 1) === 'end')
    expect([bytesOf(client, 1), client.violation]).toEqual([largerBytes, undefined])
  })

  it('is sent no further after the client has reset its stream, and the access log says how much was sent', async () => {
    const client = await open()
    const from = bed.bed.accesses.length
    client.send(ask(1, '/larger.txt'))
    await client.until(() => client.window === 0)
    client.send(rstStream(1), client.grant(0, MB), ask(3, '/small.txt'))
    await client.until(() => endOf(client, 3) === 'end')
    await client.roundTrip()
    expect(bytesOf(client, 1)).toBe(65_535)
    expect(bed.bed.accesses.slice(from).map(({ status, bytes }) => [status, bytes])).toEqual([
      [200, 65_535],
      [200, 5],
    ])
  })

  it('is refused to a client that has 128 requests open', async () => {
    const client = await open(Buffer.concat([preface, settings([[4, 0]])]))
    client.streamWindow = 0
    client.send(...ids(129).map(id => ask(id, '/larger.txt')))
    await client.until(() => endOf(client, 257) !== '')
    client.send(client.grant(1, largerBytes), client.grant(0, largerBytes))
    await client.until(() => endOf(client, 1) !== '')
    expect([endOf(client, 257), endOf(client, 1), bytesOf(client, 1)]).toEqual([
      'reset 7',
      'end',
      largerBytes,
    ])
  })

  it('comes as far as the windows allow to a client that has ended its side', async () => {
    const client = await openWide()
    client.send(ask(1, '/larger.txt'))
    client.socket.end()
    await client.until(() => client.hasEnded)
    expect([bytesOf(client, 1), endOf(client, 1)]).toEqual([largerBytes, 'end'])
  })
})

describe('the end of a connection with an answer that waits for a window', () => {
  it('comes after the answer when svcd stops', async () => {
    const own = await startLaneTestbed()
    const client = await open(start, own)
    client.send(ask(1, '/larger.txt'))
    await client.until(() => client.window === 0)
    const stopped = own.stop(60_000)
    await client.until(() => client.goaway !== undefined)
    client.send(client.grant(1, MB), client.grant(0, MB))
    await client.until(() => client.hasEnded)
    expect([bytesOf(client, 1), client.goaway?.code]).toEqual([largerBytes, 0])
    client.close()
    await stopped
  })

  it('does not come, but the stream is reset, if the client takes nothing of it for the idle timeout', async () => {
    const own = await startLaneTestbed({ idle: 200 })
    onTestFinished(() => own.stop())
    const client = await open(start, own)
    client.send(ask(1, '/larger.txt'))
    await client.until(() => endOf(client, 1) !== '')
    expect([endOf(client, 1), client.isOver]).toEqual(['reset 8', false])
  })
})

describe('the streams of a connection', () => {
  it('take turns: small files end long before a large one', async () => {
    const client = await openWide()
    client.send(ask(1, '/larger.txt'), ...ids(50, 3).map(id => ask(id, '/one-frame.txt')))
    await client.until(
      () => [...client.streams].filter(([id, { end }]) => id > 1 && end === 'end').length === 50,
    )
    const sentOfLarger = bytesOf(client, 1)
    await client.until(() => endOf(client, 1) === 'end')
    expect(sentOfLarger).toBeLessThan(largerBytes / 2)
    expect(client.violation).toBeUndefined()
  })

  it.each([
    ['node:http2 answers with', 0],
    ['the lane answers with', 1],
  ])('take turns beside a file of 100 MB that is not in memory, and that %s', async (_, byLane) => {
    const hugeBytes = 100 * MB
    const own = await startLaneTestbed({}, { 'huge.bin': Buffer.alloc(hugeBytes, 'huge') })
    onTestFinished(() => own.stop())
    const client = await openWide(own)
    // From its second request on, the lane knows of the file.
    if (byLane) await own.bed.ask('shop', '/huge.bin', { method: 'HEAD' })
    client.send(ask(1, '/huge.bin'))
    await client.until(() => bytesOf(client, 1) > MB)
    client.send(...ids(50, 3).map(id => ask(id, '/one-frame.txt')))
    await client.until(
      () => [...client.streams].filter(([id, { end }]) => id > 1 && end === 'end').length === 50,
    )
    // Some MB are on their way in the system's buffers.
    expect(bytesOf(client, 1)).toBeLessThan(hugeBytes / 2)
    await client.until(() => endOf(client, 1) === 'end')
    expect([bytesOf(client, 1), client.violation]).toEqual([hugeBytes, undefined])
    expect(own.counts.lane).toBe(50 + byLane)
  })
})

describe('a new visitor', () => {
  it('is answered before busy ones get many more answers', async () => {
    const busy = await Promise.all(Array.from({ length: 64 }, () => openWide()))
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const keepAsking = async (client: RawClient) => {
      client.send(...ids(4).map(id => ask(id, '/larger.txt')))
      for (let id = 9; !isOver; id += 2) {
        await client.until(() => endOf(client, id - 8) === 'end')
        client.streams.delete(id - 8)
        client.send(ask(id, '/larger.txt'))
      }
    }
    for (const client of busy) void keepAsking(client)
    await eventually(() => bed.counts.lane > 500)
    for (let visitor = 0; visitor < 5; visitor++) {
      const before = bed.counts.lane
      const client = await open()
      client.send(ask(1, '/small.txt'))
      await client.until(() => endOf(client, 1) === 'end')
      // Those that were busy had four answers under way each.
      expect(bed.counts.lane - before).toBeLessThan(64 * 4)
    }
  })
})
