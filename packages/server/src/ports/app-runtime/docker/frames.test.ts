import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Frame, FrameReader, unixTime } from './frames.ts'

const at = '2026-11-15T10:00:00.000000007Z'

function encode({ stream, content }: Pick<Frame, 'stream' | 'content'>): Buffer {
  const stamped = Buffer.concat([Buffer.from(`${at} `), content])
  const head = Buffer.alloc(8)
  head[0] = stream === 'stderr' ? 2 : 1
  head.writeUInt32BE(stamped.length, 4)
  return Buffer.concat([head, stamped])
}

test('frames are complete, however the stream is split into chunks', () => {
  const frame = fc.record({
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    content: fc.uint8Array({ maxLength: 50 }).map(bytes => Buffer.from(bytes)),
  })
  fc.assert(
    fc.property(fc.array(frame), fc.integer({ min: 1, max: 40 }), (frames, size) => {
      const bytes = Buffer.concat(frames.map(encode))
      const reader = new FrameReader()
      const read: Frame[] = []
      for (let start = 0; start < bytes.length; start += size)
        read.push(...reader.push(bytes.subarray(start, start + size)))
      expect(read).toEqual(frames.map(one => ({ ...one, at })))
    }),
  )
})

test('a time keeps all its digits in the request for newer lines', () => {
  expect(unixTime(at)).toBe('1794736800.000000007')
})
