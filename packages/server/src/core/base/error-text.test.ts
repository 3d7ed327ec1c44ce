import { expect, it } from 'vitest'
import { errorText } from './error-text.ts'

it.each([
  ['connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
  ['cannot reach smtp://ada:hunter2@mail.example:25', 'cannot reach smtp://…@mail.example:25'],
  [
    'GET https://s3.example/bucket/key?X-Amz-Signature=abc failed',
    'GET https://s3.example/bucket/key?… failed',
  ],
  [`the token svc_${'a1'.repeat(22)} was refused`, 'the token … was refused'],
  ['two\n  lines\tand a tab', 'two lines and a tab'],
])('an error is stored without secrets and in one line: %j', (message, text) => {
  expect(errorText(new Error(message))).toBe(text)
})

it('an error text has a limited length, and anything can be thrown', () => {
  expect(errorText(new Error('ab '.repeat(10_000)))).toHaveLength(500)
  expect(errorText('plain')).toBe('plain')
  expect(errorText(undefined)).toBe('undefined')
})
