import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { AnswerStreams } from './answer-streams.ts'
import { ClientSettings } from './client-settings.ts'
import { ConnectionWindow } from './connection-window.ts'
import { frameTypes, headerBytes, payloadLength, streamId } from './frames.ts'

const nothing = Buffer.alloc(0)

/** A connection on which stream 1 is answered with `bytes` bytes of what `open` gives. */
function answering(open: () => Promise<Readable | undefined>, bytes: number) {
  const streams = new AnswerStreams(new ConnectionWindow(), new ClientSettings(), {
    idle: () => undefined,
    ready: () => undefined,
  })
  let sent: number | undefined
  const onOver = (count: number) => {
    sent = count
  }
  streams.add(1, { head: Buffer.from([0x88]), body: nothing, stored: { open } as never, bytes, onOver })
  return { streams, sent: () => sent }
}

/** The frames that come until all streams are over: their types, and for RST_STREAM the code. */
async function framesOf(streams: AnswerStreams) {
  const frames: { type: number; id: number; payload: Buffer }[] = []
  const piece = Buffer.alloc(64 * 1024)
  await eventually(() => {
    const end = streams.fill(piece, 0)
    for (let at = 0; at < end; at += headerBytes + payloadLength(piece, at)) {
      const payload = Buffer.from(
        piece.subarray(at + headerBytes, at + headerBytes + payloadLength(piece, at)),
      )
      frames.push({ type: piece[at + 3]!, id: streamId(piece, at), payload })
    }
    return streams.size === 0
  })
  return frames
}

const partsOf = (...parts: string[]) =>
  Readable.from(
    parts.map(part => Buffer.from(part)),
    { objectMode: false },
  )

it('a file from the storage is sent piece by piece, and closed after its last byte', async () => {
  const file = partsOf('first ', 'second ', 'third')
  const { streams, sent } = answering(async () => file, 18)
  const frames = await framesOf(streams)
  const data = frames.filter(({ type }) => type === frameTypes.data)
  expect(frames[0]!.type).toBe(frameTypes.headers)
  expect(Buffer.concat(data.map(({ payload }) => payload)).toString()).toBe('first second third')
  expect([sent(), file.destroyed]).toEqual([18, true])
})

it('no more is read while the client has no room', async () => {
  let reads = 0
  const file = new Readable({
    read() {
      reads++
      this.push(Buffer.alloc(60_000))
    },
    highWaterMark: 60_000,
  })
  const { streams } = answering(async () => file, 1_000_000)
  const piece = Buffer.alloc(64 * 1024)
  // The first window has 65,535 bytes.
  await eventually(() => {
    streams.fill(piece, 0)
    return !streams.hasWork
  })
  // The stream of the storage reads ahead.
  for (let i = 0; i < 10; i++) await new Promise(setImmediate)
  const before = reads
  for (let i = 0; i < 10; i++) {
    await new Promise(setImmediate)
    expect(streams.fill(piece, 0)).toBe(0)
  }
  expect(reads).toBe(before)
  expect(streams.hasWork).toBe(false)
  streams.cancelAll()
  expect(file.destroyed).toBe(true)
})

it('a file that is no longer stored is refused, so that the client may ask again', async () => {
  const { streams, sent } = answering(async () => undefined, 18)
  const frames = await framesOf(streams)
  expect(frames).toEqual([{ type: frameTypes.rstStream, id: 1, payload: Buffer.from([0, 0, 0, 7]) }])
  expect(sent()).toBe(0)
})

it.each([
  ['that cannot be opened', () => Promise.reject(new Error('storage')), 7, 0],
  ['that is shorter than it was', async () => partsOf('half'), 2, 4],
  [
    'of which the rest cannot be read',
    async () => {
      const parts = ['half']
      return new Readable({
        read() {
          const part = parts.shift()
          if (part === undefined) this.destroy(new Error('storage'))
          else this.push(part)
        },
      })
    },
    2,
    4,
  ],
] as [string, () => Promise<Readable>, number, number][])(
  'the answer with a file %s is reset',
  async (_, open, code, count) => {
    const { streams, sent } = answering(open, 18)
    const frames = await framesOf(streams)
    expect(frames.at(-1)).toEqual({
      type: frameTypes.rstStream,
      id: 1,
      payload: Buffer.from([0, 0, 0, code]),
    })
    expect(sent()).toBe(count)
  },
)

it('a file that is opened after its request was reset is closed', async () => {
  const file = partsOf('late')
  let opened: (file: Readable) => void = () => undefined
  const { streams } = answering(
    () =>
      new Promise(resolve => {
        opened = resolve
      }),
    4,
  )
  streams.cancel(1)
  opened(file)
  await eventually(() => file.destroyed)
  expect(streams.size).toBe(0)
})
