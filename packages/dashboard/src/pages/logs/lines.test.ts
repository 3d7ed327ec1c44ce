import { expect, test } from 'vitest'
import { find, type Line, readLines, secondsOf, withNewer, withOlder } from './lines.ts'

const stamp = (n: number) => `2026-11-15T10:00:0${n}.000000007Z`
const line = (n: number): Line => ({ stamp: stamp(n), text: `line ${n}` })

test('lines come with their times and without commands for terminals', () => {
  expect(
    readLines(`${stamp(1)} a b\n${stamp(2)} \n${stamp(3)} \x1b[31mred\x1b[0m \x1b]0;title\x07x\n`),
  ).toEqual([
    { stamp: stamp(1), text: 'a b' },
    { stamp: stamp(2), text: '' },
    { stamp: stamp(3), text: 'red x' },
  ])
  expect(readLines('')).toEqual([])
})

test('a time keeps every digit', () => {
  expect(secondsOf(stamp(1))).toBe('1794736801.000000007')
})

test('only what is newer is added, and the oldest go', () => {
  expect(withNewer([line(1), line(2)], [line(2), line(3)], 2)).toEqual([line(2), line(3)])
  const lines = [line(1)]
  expect(withNewer(lines, [line(1)], 9)).toBe(lines)
})

test('only what is older is added before', () => {
  expect(withOlder([line(2)], [line(1), line(2)])).toEqual([line(1), line(2)])
})

test.each([
  ['Hello hello', 'hello', ['', 'Hello', ' ', 'hello', '']],
  ['nothing', 'x', undefined],
  ['all', '', ['all']],
])('%s is searched for %j', (text, wanted, pieces) => {
  expect(find(text, wanted)).toEqual(pieces)
})
