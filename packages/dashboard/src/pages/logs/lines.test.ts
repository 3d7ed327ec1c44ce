import type { LogLine } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { expect, test } from 'vitest'
import { asText, find, type Line, readAnswer, secondsOf, withNewer, withOlder } from './lines.ts'

const stamp = (n: number) => `2026-11-15T10:00:0${n}.000000007Z`
const answered = (n: number, text = `line ${n}`): LogLine => ({
  at: stamp(n),
  stream: 'stdout',
  level: 'info',
  deployment_id: 'dep_a',
  instance_id: 'app_a',
  text,
})
const line = (n: number): Line => readAnswer([answered(n)], 9).lines[0]!

test('lines come with their origin, and their text without commands for terminals', () => {
  expect(readAnswer([answered(1, '\x1b[31mred\x1b[0m \x1b]0;title\x07x')], 9)).toEqual({
    lines: [
      {
        stamp: stamp(1),
        stream: 'stdout',
        level: 'info',
        deployment: 'dep_a',
        instance: 'app_a',
        text: 'red x',
        pieces: [{ text: 'red', colour: 'red' }, { text: ' ' }, { text: 'x' }],
      },
    ],
    hasEarlier: false,
  })
  expect(readAnswer([], 9)).toEqual({ lines: [], hasEarlier: false })
})

test('an answer that is as long as it may be, in lines or in bytes, has more before it', () => {
  const two = [answered(1), answered(2)]
  expect(readAnswer(two, 3).hasEarlier).toBe(false)
  expect(readAnswer(two, 2).hasEarlier).toBe(true)
  expect(readAnswer([answered(1, 'ä'.repeat(limits.logsAnswerBytes / 2))], 3).hasEarlier).toBe(true)
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
  ['nothing', 'x', ['nothing']],
  ['all', '', ['all']],
])('%s is searched for %j', (text, wanted, parts) => {
  expect(find(text, wanted)).toEqual(parts)
})

test('a downloaded log has a line for each, with its time and stream', () => {
  expect(asText([line(1), line(2)])).toBe(`${stamp(1)} stdout line 1\n${stamp(2)} stdout line 2\n`)
})
