import { describe, expect, test } from 'vitest'
import { readDictionary } from './structured-dictionary.ts'

const valuesOf = (field: string) => {
  const members = readDictionary(field)
  return members && Object.fromEntries([...members].map(([key, { value }]) => [key, value]))
}

describe('a dictionary', () => {
  test.each([
    ['max-age=60', { 'max-age': 60 }],
    ['max-age=60, no-store', { 'max-age': 60, 'no-store': true }],
    ['  a=1 ,\tb=?0 ', { a: 1, b: false }],
    ['a=1, a=2', { a: 2 }],
    ['a=-5;x;y="q, r";z=1.5, b', { a: -5, b: true }],
    [
      'a=1.5, b="x\\"y, z", c=tok/en:1, d=:aGk=:, e=@1659578233',
      {
        a: '1.5',
        b: '"x\\"y, z"',
        c: 'tok/en:1',
        d: ':aGk=:',
        e: '@1659578233',
      },
    ],
    ['a=(1 "two";q=1  three ), b=()', { a: '', b: '' }],
    ['', {}],
  ])('%s is read', (field, expected) => {
    expect(valuesOf(field)).toEqual(expected)
  })

  test.each([
    'Max-Age=60',
    'max-age =60',
    'max-age= 60',
    'max-age=60,',
    'max-age=60 no-store',
    'max-age=60, &&&&&',
    'a="open',
    'a="\u00e4"',
    'a=(1 2',
    'a=(1,2)',
    'a=1234567890123456',
    'a=1.2345',
    'a=?2',
    'a;;',
    ',a',
  ])('%s is malformed, and nothing of it counts', field => {
    expect(valuesOf(field)).toBeUndefined()
  })

  test('of many members, or with a long run of spaces, is read in one pass', () => {
    expect(readDictionary(Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(', '))?.size).toBe(50_000)
    expect(readDictionary(`a=(${' '.repeat(100_000)}x${' '.repeat(100_000)}!`)).toBeUndefined()
  })
})
