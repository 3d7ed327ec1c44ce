import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isIn, spansOf } from './node-range.ts'

const semver = createRequire(import.meta.url)('semver') as {
  validRange(range: string): string | null
  satisfies(version: string, range: string): boolean
}

const means = (range: string, version: string): boolean => isIn(spansOf(range) ?? [], version)

const number = fc.nat({ max: 3 })
const part = fc.oneof(
  { weight: 6, arbitrary: number.map(String) },
  { weight: 1, arbitrary: fc.constantFrom('x', 'X', '*') },
)
const version = fc
  .tuple(
    fc.constantFrom('', '', 'v'),
    fc.array(part, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '-rc.1'),
  )
  .map(([v, parts, candidate]) => v + parts.join('.') + (parts.length === 3 ? candidate : ''))
const operator = fc.constantFrom('', '=', '>', '>=', '<', '<=', '~', '~>', '^')
const space = fc.constantFrom('', '', ' ')
const comparator = fc.tuple(operator, space, version).map(texts => texts.join(''))
const alternative = fc.oneof(
  fc.array(comparator, { minLength: 0, maxLength: 3 }).map(list => list.join(' ')),
  fc.tuple(version, version).map(([low, high]) => `${low} - ${high}`),
)
const range = fc.array(alternative, { minLength: 1, maxLength: 3 }).map(list => list.join(' || '))
const release = fc.tuple(number, number, number).map(parts => parts.join('.'))

describe('a range of Node versions', () => {
  it('means the same releases as in npm', () => {
    fc.assert(
      fc.property(range, release, (text, node) => {
        if (semver.validRange(text) === null) return
        expect([text, node, means(text, node)]).toEqual([text, node, semver.satisfies(node, text)])
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    ['20', '20.20.2', true],
    ['v20.11.1', '20.11.1', true],
    ['20.x', '22.0.0', false],
    ['>= 18', '22.1.0', true],
    ['^20.19 || >=22', '20.18.0', false],
    ['^20.19 || >=22', '21.7.0', false],
    ['^20.19 || >=22', '24.0.0', true],
    ['lts/*', '22.1.0', true],
    ['lts/*', '23.1.0', false],
    ['lts/Iron', '20.1.0', true],
    ['lts/iron', '22.1.0', false],
    ['node', '26.0.0', true],
    ['*', '18.0.0', true],
    ['18 - 20', '20.9.0', true],
  ])('%s and %s: %s', (text, node, expected) => {
    expect(means(text, node)).toBe(expected)
  })

  it('fits a line of releases if it may mean one of them', () => {
    expect(means('20.11.1', '20')).toBe(true)
    expect(means('^20.19 || >=22', '20')).toBe(true)
    expect(means('>=22', '20')).toBe(false)
  })

  it.each(['latest-ish', '18 and 20', 'lts/unknown', '>=', '18..1', '1'.repeat(201), '99999', '18 -'])(
    '%s is none',
    text => {
      expect(spansOf(text)).toBeUndefined()
    },
  )
})
