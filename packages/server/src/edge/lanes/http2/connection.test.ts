import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { frameTypes, preface } from './frames.ts'
import { encodeField } from './hpack/encoder.ts'
import { get } from './testing/conformance-cases.ts'
import { frame, headers, RawClient, rstStream, settings, start } from './testing/raw-client.ts'
import { host, type LaneTestbed, startLaneTestbed } from './testing/testbed.ts'

const MB = 1024 * 1024

let bed: LaneTestbed
beforeAll(async () => {
  bed = await startLaneTestbed()
})
afterAll(() => bed?.stop())

const open = (beginning = start, { ports } = bed) => RawClient.begin(ports.lane, beginning)

const ask = (id: number, path: string) => headers(id, get([], path))
const ids = (count: number) => Array.from({ length: count }, (_, at) => 2 * at + 1)
const ended = (client: RawClient, count: number) =>
  client.until(() => [...client.streams.values()].filter(({ end }) => end !== '').length >= count)

describe('a connection with the lane', () => {
  it('keeps the window of the connection for answers of the lane and of node:http2 together', async () => {
    const client = await open()
    const paths = [
      '/one-frame.txt',
      '/one-frame.txt',
      '/one-frame.txt',
      '/large.txt?a',
      '/nowhere',
      '/one-frame.txt',
    ]
    client.send(...paths.map((path, at) => ask(2 * at + 1, path)))
    await client.until(() => client.window < 16_384)
    // DATA that waits for the window holds up nothing else.
    await client.roundTrip()
    for (let granted = 0; granted < 200_000; granted += 1_000) {
      client.send(client.grant(0, 1_000), ...[7, 9, 11].map(id => client.grant(id, 1_000)))
      if (granted % 20_000 === 0) await client.roundTrip()
    }
    await ended(client, paths.length)
    expect(client.violation).toBeUndefined()
    expect([...client.streams].sort(([a], [b]) => a - b).map(([, { bytes }]) => bytes)).toEqual([
      16_384,
      16_384,
      16_384,
      90_000,
      expect.any(Number),
      16_384,
    ])
  })

  it('tells node:http2 of a larger window after the DATA that is just coming', async () => {
    const client = await open(Buffer.concat([preface, settings([[4, MB]])]))
    client.streamWindow = MB
    const range = headers(1, get([['range', 'bytes=0-299998']], '/larger.txt'))
    const body = frame(frameTypes.data, 1, 3, Buffer.alloc(10_000))
    const post = get([], '/small.txt').map(
      ([name, value]) => [name, name === ':method' ? 'POST' : value] as const,
    )
    client.send(client.grant(0, 4 * MB), range, headers(3, post, 4), body.subarray(0, 100))
    await ended(client, 1)
    await new Promise(setImmediate)
    client.send(body.subarray(100))
    await client.until(() => [1, 3].every(id => client.streams.get(id)?.end === 'end'))
    expect(client.streams.get(1)!.bytes).toBe(299_999)
    expect(client.streams.get(3)!.status).toBe('405')
    expect(client.goaway).toBeUndefined()
  })

  it('sends through both in turn for much longer than the first windows last', async () => {
    const client = await open()
    for (const id of ids(60)) {
      // Ranges are node:http2's.
      const more: [string, string][] = id % 4 === 1 ? [['range', 'bytes=0-60000']] : []
      client.send(headers(id, get(more, '/large.txt')))
      while ((client.streams.get(id)?.end ?? '') === '') {
        client.send(client.grant(0, 30_000), client.grant(id, 30_000))
        await client.roundTrip()
      }
    }
    expect([client.violation, client.goaway, client.streams.size]).toEqual([undefined, undefined, 60])
  })

  it('is read no further while its client does not take the answers', async () => {
    const client = await open(Buffer.concat([preface, settings([[4, MB]])]))
    client.streamWindow = MB
    client.send(client.grant(0, 1024 * MB))
    const before = bed.counts.lane
    const count = 600
    client.socket.pause()
    client.send(...ids(count).map(id => ask(id, '/large.txt')))
    // Another client has its turn meanwhile.
    const other = await open()
    for (let i = 0; i < 20; i++) await other.roundTrip()
    expect(bed.counts.lane - before).toBeLessThan(count / 2)
    client.socket.resume()
    await ended(client, count)
    expect([...client.streams.values()].every(({ bytes }) => bytes === 90_000)).toBe(true)
  })

  it('ends with ENHANCE_YOUR_CALM for a client that takes back one answered request after the other', async () => {
    const client = await open()
    for (const id of ids(300)) client.send(ask(id, '/small.txt'), rstStream(id))
    await client.closed()
    expect(client.goaway?.code).toBe(11)
  })

  it('ends, or goes on without the request, for a field that is repeated beyond all bounds', async () => {
    const client = await open()
    const long = encodeField('x-long', 'y'.repeat(3_900))
    const bomb = Buffer.concat([Buffer.from([0x40]), long.subarray(1), Buffer.alloc(10_000, 0xbe)])
    client.send(frame(frameTypes.headers, 5, 1, bomb), ask(3, '/small.txt'))
    await client.until(() => client.streams.get(3)?.end === 'end')
    expect(client.streams.get(1)?.status ?? '').toBe('')
    expect((await open()).isOver).toBe(false)
  })

  it('leaves answers to node:http2 for a client that makes its table of headers smaller', async () => {
    const before = bed.counts.lane
    const session = connect(`http://127.0.0.1:${bed.ports.lane}`, { settings: { headerTableSize: 0 } })
    onTestFinished(() => session.destroy())
    for (let i = 0; i < 5; i++) {
      const stream = session.request({ ':scheme': 'https', ':authority': host, ':path': '/small.txt' })
      let text = ''
      for await (const chunk of stream.setEncoding('utf8')) text += chunk
      expect(text).toBe('small')
    }
    expect(bed.counts.lane).toBe(before)
  })

  it('tells the access log of each answer', async () => {
    const { accesses } = bed.bed
    const from = accesses.length
    const client = await open()
    const fields = get([['user-agent', 'lane test']], '/')
    client.send(headers(1, fields))
    client.send(headers(3, [[':method', 'HEAD'], ...fields.slice(1)]))
    client.send(headers(5, [...fields, ['if-none-match', bed.etags['/']!]]))
    await ended(client, 3)
    expect(
      accesses
        .slice(from)
        .map(({ method, status, bytes, fields }) => [method, status, bytes, /lane test/.test(fields)]),
    ).toEqual([
      ['GET', 200, 13, true],
      ['HEAD', 200, 0, true],
      ['GET', 304, 0, true],
    ])
  })
})

describe('the end of a connection with the lane', () => {
  it('comes with a GOAWAY that names the streams of the lane as answered', async () => {
    const own = await startLaneTestbed()
    const client = await open(start, own)
    client.send(...ids(5).map(id => ask(id, '/small.txt')))
    await ended(client, 5)
    const stopped = own.stop()
    await client.until(() => client.goaway !== undefined)
    expect(client.goaway).toEqual({ code: 0, lastId: 9 })
    client.close()
    await stopped
  })

  it('comes when the client is silent for the keep-alive timeout', async () => {
    const own = await startLaneTestbed({ keepAlive: 200 })
    onTestFinished(() => own.stop())
    const client = await open(start, own)
    client.send(ask(1, '/small.txt'))
    await client.until(() => client.hasEnded)
    expect(client.goaway?.code).toBe(0)
  })

  it('comes for a client that takes nothing of its answers for the idle timeout', async () => {
    const own = await startLaneTestbed({ idle: 200 })
    onTestFinished(() => own.stop())
    const client = await open(Buffer.concat([preface, settings([[4, MB]])]), own)
    client.send(client.grant(0, 1024 * MB))
    client.socket.pause()
    client.send(...ids(600).map(id => ask(id, '/large.txt')))
    await eventually(async () => (await own.openConnections()) === 0)
  })
})
