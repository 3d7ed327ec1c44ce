import { limits } from '@svc/contract/limits'
import { expect, test } from 'vitest'
import { find, type Line, readAnswer, secondsOf, withNewer, withOlder } from './lines.ts'

const stamp = (n: number) => `2026-11-15T10:00:0${n}.000000007Z`
const line = (n: number): Line => ({ stamp: stamp(n), text: `line ${n}` })

test('lines come with their times and without commands for terminals', () => {
  expect(
    readAnswer(`${stamp(1)} a b\n${stamp(2)} \n${stamp(3)} \x1b[31mred\x1b[0m \x1b]0;title\x07x\n`, 9).lines,
  ).toEqual([
    { stamp: stamp(1), text: 'a b' },
    { stamp: stamp(2), text: '' },
    { stamp: stamp(3), text: 'red x' },
  ])
  expect(readAnswer('', 9)).toEqual({ lines: [], hasEarlier: false })
})

test('an answer that is as long as it may be, in lines or in bytes, has more before it', () => {
  const logs = `${stamp(1)} a\n${stamp(2)} b\n`
  expect(readAnswer(logs, 3).hasEarlier).toBe(false)
  expect(readAnswer(logs, 2).hasEarlier).toBe(true)
  expect(readAnswer(`${stamp(1)} ${'ä'.repeat(limits.logsAnswerBytes / 2)}\n`, 3).hasEarlier).toBe(true)
})

test('a time keeps every digit', () => {
  expect(secondsOf(stamp(1))).toBe('1794736801.000000007')
})

const shown = (numbers: number[], hasEarlier = false) => ({ lines: numbers.map(line), hasEarlier })

test('of an answer only the newer lines are added', () => {
  expect(withNewer(shown([1, 2]), shown([2, 3]))).toEqual(shown([1, 2, 3]))
  expect(withNewer(shown([1, 2], true), shown([3]))).toEqual(shown([1, 2, 3], true))
  const before = shown([1])
  expect(withNewer(before, shown([1], true)).lines).toBe(before.lines)
})

test('if lines are missing between the shown and the new ones, only the new lines are shown', () => {
  expect(withNewer(shown([1]), shown([5, 6], true))).toEqual(shown([5, 6], true))
  expect(withNewer(shown([1, 2]), shown([2, 3], true))).toEqual(shown([1, 2, 3]))
})

test('if there are too many lines, the oldest are removed and can be loaded again', () => {
  const many = Array.from({ length: limits.logsTail.max }, () => line(1))
  const { lines, hasEarlier } = withNewer({ lines: many, hasEarlier: false }, shown([2]))
  expect([lines.length, lines.at(-1), hasEarlier]).toEqual([many.length, line(2), true])
})

test('new lines do not remove older lines that the reader loaded', () => {
  const many = Array.from({ length: limits.logsTail.max + 500 }, () => line(1))
  expect(withNewer({ lines: many, hasEarlier: false }, shown([2])).lines).toHaveLength(many.length)
})

test('of an older page only the older lines are added in front', () => {
  expect(withOlder(shown([2], true), shown([1, 2]))).toEqual(shown([1, 2]))
})

test.each([
  ['Hello hello', 'hello', ['', 'Hello', ' ', 'hello', '']],
  ['nothing', 'x', undefined],
  ['all', '', ['all']],
])('%s is searched for %j', (text, wanted, pieces) => {
  expect(find(text, wanted)).toEqual(pieces)
})
