import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Encoder } from './encoder.ts'

const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

/** A sink that is full after each `every` chunks, for one turn of the event loop. */
function sinkOf(every: number) {
  const chunks: Buffer[] = []
  let onDrained: (() => void) | undefined
  let resolve!: (whole: Buffer) => void
  const whole = new Promise<Buffer>(done => {
    resolve = done
  })
  return {
    whole,
    sink: {
      write(chunk: Buffer) {
        chunks.push(Buffer.from(chunk))
        if (chunks.length % every > 0) return true
        setImmediate(() => onDrained?.())
        return false
      },
      whenDrained(action: () => void) {
        onDrained = () => {
          onDrained = undefined
          action()
        }
      },
      end: (last: Buffer) => resolve(Buffer.concat([...chunks, last])),
      fail: () => resolve(Buffer.alloc(0)),
    },
  }
}

it('gives back any body, however it is divided and whenever the sink is full', async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.nat(200_000).map(length => new Uint8Array(length).map((_, i) => (i * i) % 251)),
  )
  const play = fc.asyncProperty(
    fc.constantFrom('gzip' as const, 'br' as const),
    fc.boolean(),
    fc.array(fc.tuple(chunk, fc.boolean()), { maxLength: 6 }),
    fc.integer({ min: 1, max: 5 }),
    async (coding, isOfEvents, chunks, every) => {
      const { sink, whole } = sinkOf(every)
      const encoder = Encoder.open(coding, isOfEvents, sink)!
      for (const [bytes, waits] of chunks) {
        const hasRoom = encoder.write(Buffer.from(bytes))
        if (!hasRoom) await new Promise<void>(done => encoder.whenDrained(done))
        if (waits) await new Promise(next => setImmediate(next))
      }
      encoder.end()
      const expected = Buffer.concat(chunks.map(([bytes]) => bytes))
      expect(decoders[coding](await whole).equals(expected)).toBe(true)
    },
  )
  await fc.assert(play, { numRuns: 150, seed: 7, endOnFailure: true })
})

it('takes a bounded amount of memory for all answers together, and gives it back', async () => {
  const open = () => Encoder.open('br', false, sinkOf(1).sink)
  const first: Encoder[] = []
  for (let encoder = open(); encoder !== undefined && first.length < 1000; encoder = open())
    first.push(encoder)
  expect(first.length).toBeGreaterThan(20)
  expect(first.length).toBeLessThan(200)
  for (const encoder of first) encoder.destroy()
  await expect
    .poll(() => {
      const again = open()
      again?.destroy()
      return again !== undefined
    })
    .toBe(true)
})
