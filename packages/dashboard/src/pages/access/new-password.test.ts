import { expect, test } from 'vitest'
import { makePassword, problemOf } from './new-password.ts'

test('a password that is made up is easy to read out, allowed, and another one each time', () => {
  const made = Array.from({ length: 200 }, makePassword)
  for (const password of made) {
    expect(password).toMatch(/^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/)
    expect(problemOf(password)).toBeUndefined()
  }
  expect(new Set(made).size).toBe(made.length)
})

test.each([
  ['abc', 'Use at least 4 characters.'],
  ['abcd', undefined],
  ['a'.repeat(128), undefined],
  ['a'.repeat(129), 'Use at most 128 characters.'],
])('%j: %s', (password, problem) => expect(problemOf(password)).toBe(problem))
