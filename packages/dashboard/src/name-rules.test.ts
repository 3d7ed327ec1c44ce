import { namePattern } from '@svc/contract/limits'
import { describe, expect, it } from 'vitest'
import { asTyped, nameFromFolder, nameProblem, nameRules } from './name-rules.ts'

const samples = [
  'abc',
  'a'.repeat(40),
  'my-site-2',
  'ab',
  'a'.repeat(41),
  '-ab',
  'ab-',
  'a--b',
  'Abc',
  'a_c',
  'ä-b-c',
  '',
]

describe('the rules of a name', () => {
  it.each(samples)('together say of %j what the API will say', name => {
    expect(nameRules.every(rule => rule.holds(name))).toBe(namePattern.test(name))
  })

  it('let no reserved name through', () => {
    for (const name of ['www', 'dashboard', 'tmp-abc'])
      expect(nameProblem(name)).toContain(`“${name.slice(0, 4)}`)
    expect(nameProblem('my-site')).toBeUndefined()
  })
})

describe('a name being typed', () => {
  it('is brought into shape without surprises', () => {
    expect(asTyped('My Site')).toBe('my-site')
    expect(asTyped('my-')).toBe('my-')
  })
})

describe('a name from a folder', () => {
  it.each([
    ['My Site (final)', 'my-site-final'],
    ['__dist__', 'dist'],
    ['a--b', 'a-b'],
    [`${'x'.repeat(39)}-y`, 'x'.repeat(39)],
    ['日本', ''],
  ])('%s is %s', (folder, name) => {
    expect(nameFromFolder(folder)).toBe(name)
  })
})
