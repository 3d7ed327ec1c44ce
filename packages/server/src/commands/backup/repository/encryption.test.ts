import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { chunkBytes, DamagedObject, decrypted, encrypted } from './encryption.ts'

const key = randomBytes(32)

async function* parts(...all: Buffer[]): AsyncGenerator<Buffer> {
  yield* all
}

async function collected(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

const seal = (content: Buffer, name = 'piece_a') => collected(encrypted({ key }, name, parts(content)))
const open = (stored: Buffer, name = 'piece_a', with_ = key) =>
  collected(decrypted({ key: with_ }, name, parts(stored)))

/** The records of an object, after its head. */
function recordsOf(stored: Buffer): { head: Buffer; records: Buffer[] } {
  const records: Buffer[] = []
  for (let at = 40; at < stored.length; ) {
    const end = at + 4 + (stored.readUInt32BE(at) & 0x3fff_ffff) + 16
    records.push(stored.subarray(at, end))
    at = end
  }
  return { head: stored.subarray(0, 40), records }
}

describe('an object of a repository', () => {
  test.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes])(
    'with %d bytes that cannot be compressed reads back as it was, however it is cut',
    async size => {
      const content = randomBytes(size)
      const stored = await seal(content)
      expect((await open(stored)).equals(content)).toBe(true)
      const pieces = Array.from({ length: Math.ceil(stored.length / 70_001) }, (_, i) =>
        stored.subarray(i * 70_001, (i + 1) * 70_001),
      )
      expect((await collected(decrypted({ key }, 'piece_a', parts(...pieces)))).equals(content)).toBe(true)
    },
  )

  test('is compressed, tells nothing of its content, and is never the same twice', async () => {
    const content = Buffer.from('the same words again and again. '.repeat(100_000))
    const [first, second] = [await seal(content), await seal(content)]
    expect(first.length).toBeLessThan(content.length / 20)
    expect(first.includes('the same words')).toBe(false)
    expect(first.equals(second)).toBe(false)
    expect((await open(first)).equals(content)).toBe(true)
  })

  test('that was changed in any part, cut off, made longer, renamed or put together anew is refused', async () => {
    const stored = await seal(randomBytes(2 * chunkBytes + 10))
    const { head, records } = recordsOf(stored)
    const [one, two, three] = records as [Buffer, Buffer, Buffer]
    const flipped = [0, 10, 39, 40, 43, 44, 1000, stored.length - 1].map(at => {
      const copy = Buffer.from(stored)
      copy[at]! ^= 1
      return copy
    })
    const others = [
      Buffer.alloc(0),
      stored.subarray(0, 20),
      stored.subarray(0, -1),
      Buffer.concat([head, one, two]),
      Buffer.concat([head, two, one, three]),
      Buffer.concat([head, one, three]),
      Buffer.concat([stored, Buffer.from('x')]),
      Buffer.concat([stored, three]),
    ]
    for (const [i, each] of [...flipped, ...others].entries())
      await expect(open(each), `case ${i}`).rejects.toThrow(DamagedObject)
    await expect(open(stored, 'piece_b')).rejects.toThrow(DamagedObject)
    await expect(open(stored, 'piece_a', randomBytes(32))).rejects.toThrow(DamagedObject)
    expect((await open(stored)).length).toBe(2 * chunkBytes + 10)
  })

  test('that announces a huge part is refused before the part is read', async () => {
    const { head } = recordsOf(await seal(Buffer.from('x')))
    const endless = async function* () {
      yield head
      yield Buffer.from([0x3f, 0xff, 0xff, 0xff])
      throw new Error('it was read')
    }
    await expect(collected(decrypted({ key }, 'piece_a', endless()))).rejects.toThrow('too long')
  })
})
