import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter, lineBytesAtMost } from './line-splitter.ts'

function linesOf(chunks: Buffer[]): Buffer[] {
  const splitter = new LineSplitter()
  const lines = chunks.flatMap(chunk => splitter.push(chunk).map(line => Buffer.from(line)))
  const rest = splitter.end()
  return rest ? [...lines, rest] : lines
}

/** Random bytes with many line ends, and random positions to cut them into chunks. */
const pieces = fc.array(
  fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes.map(byte => (byte < 60 ? 10 : byte)))),
)

test('lines do not depend on the chunks of the stream', () => {
  fc.assert(
    fc.property(pieces, chunks => {
      expect(linesOf(chunks)).toEqual(linesOf([Buffer.concat(chunks)]))
    }),
  )
})

test('no byte is lost except the line ends', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 60 }).map(line => line.replace(/[\r\n]/g, '')),
  )
  fc.assert(
    fc.property(text, lines => {
      expect(linesOf([Buffer.from(lines.map(line => `${line}\n`).join(''))]).map(String)).toEqual(lines)
    }),
  )
})

test('Windows line ends are line ends', () => {
  expect(linesOf([Buffer.from('one\r'), Buffer.from('\ntwo\r\n\r\nrest\r')]).map(String)).toEqual([
    'one',
    'two',
    '',
    'rest',
  ])
})

test('a line of the longest allowed length stays whole, with any line end and any chunks', () => {
  const line = 'x'.repeat(lineBytesAtMost)
  for (const end of ['\n', '\r\n', '\r', ''])
    for (const cut of [line.length, line.length + 1]) {
      const bytes = Buffer.from(line + end)
      expect(linesOf([bytes.subarray(0, cut), bytes.subarray(cut)]).map(String)).toEqual([line])
    }
})

test('an endless line is split between characters, and takes no more memory than one line', () => {
  const euros = Buffer.from('€'.repeat(10_000))
  const lines = linesOf([euros.subarray(0, 5), euros.subarray(5)])
  expect(Buffer.concat(lines).equals(euros)).toBe(true)
  expect(lines.every(line => line.length <= lineBytesAtMost && !line.toString().includes('\uFFFD'))).toBe(
    true,
  )
})

test('bytes that are not UTF-8 are split too', () => {
  const garbage = Buffer.alloc(3 * lineBytesAtMost, 0x80)
  expect(linesOf([garbage]).map(line => line.length)).toEqual(Array(3).fill(lineBytesAtMost))
})
