import { describe, expect, it } from 'vitest'
import { caretIn, formatUserCode, isCompleteUserCode } from './user-code.ts'

describe('a code', () => {
  it.each([
    ['bcdf', 'BCDF'],
    ['bcdfg', 'BCDF-G'],
    ['bcdf-', 'BCDF'],
    ['bcdfghjk', 'BCDF-GHJK'],
    [' BCDF – GHJK\n', 'BCDF-GHJK'],
    ['bcdf-ghjkl', 'BCDF-GHJK'],
    ['', ''],
  ])('typed as %j is %s', (typed, code) => {
    expect(formatUserCode(typed)).toBe(code)
  })

  it('is complete with eight characters', () => {
    expect(isCompleteUserCode('BCDF-GHJK')).toBe(true)
    expect(isCompleteUserCode('BCDF-GHJ')).toBe(false)
  })

  it.each([
    ['bcdfg', 5, 6],
    ['bXcdf', 2, 2],
    ['BCDFX-GHJ', 5, 6],
    ['BCDF-GHJK', 0, 0],
  ])('keeps the caret of %j at %d on %d', (typed, caret, expected) => {
    expect(caretIn(formatUserCode(typed), typed, caret)).toBe(expected)
  })
})
