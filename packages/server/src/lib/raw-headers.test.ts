import { expect, test } from 'vitest'
import { headerLines, headersWithout, membersIn, valueIn, valuesIn } from './raw-headers.ts'

const headers = ['Vary', 'Accept, X-A', 'Set-Cookie', 'a=1', 'vary', ' cookie ,', 'SET-COOKIE', 'b=2']

test('a field is found in any case, with all its lines', () => {
  expect(valuesIn(headers, 'set-cookie')).toEqual(['a=1', 'b=2'])
  expect(valueIn(headers, 'set-cookie')).toBe('a=1')
  expect(membersIn(headers, 'vary')).toEqual(['accept', 'x-a', 'cookie'])
})

test('a field that is missing has no value', () => {
  expect([valuesIn(headers, 'age'), valueIn(headers, 'age'), membersIn([], 'vary')]).toEqual([
    [],
    undefined,
    [],
  ])
})

test('a value is never taken for a name', () => {
  expect(valueIn(['X-Name', 'age', 'Age', '1'], 'age')).toBe('1')
  expect(headersWithout(['X-Name', 'age', 'Age', '1'], name => name === 'age')).toEqual(['X-Name', 'age'])
})

test('removing fields leaves the others in their order and their spelling', () => {
  const left = headersWithout(headers, (name, value) => name === 'vary' || value === 'a=1')
  expect(left).toEqual(['SET-COOKIE', 'b=2'])
})

test('fields are written as lines of HTTP/1', () => {
  expect(headerLines(['A', '1', 'B', '2'])).toBe('A: 1\r\nB: 2\r\n')
})
