import { expect, it } from 'vitest'
import { levelOf } from './levels.ts'

it.each([
  ['listening on 3000', 'info'],
  ['', 'info'],
  ['{"level":"warn","msg":"slow"}', 'warn'],
  ['{"level":50,"time":1,"msg":"boom"}', 'error'],
  ['{"level":60,"msg":"boom"}', 'error'],
  ['{"level":30,"msg":"an ERROR in words"}', 'info'],
  ['{"level":20,"msg":"x"}', 'debug'],
  ['{"level":10,"msg":"x"}', 'debug'],
  ['{"severity": "CRITICAL", "message": "x"}', 'error'],
  ['{"msg":"no level"}', 'info'],
  ['time=2026 level=error msg="x"', 'error'],
  ['[error] 12#12: open() failed', 'error'],
  ['[warn] old', 'warn'],
  ['2026-11-16 10:00:00,123 WARNING django: slow', 'warn'],
  ['2026-11-16T10:00:00Z  DEBUG sqlx: query', 'debug'],
  ['\u001b[31mERROR\u001b[0m boom', 'error'],
  ['Error: boom', 'error'],
  ['TypeError: x is not a function', 'error'],
  ['java.lang.NullPointerException: x', 'info'],
  ['Warning: deprecated', 'warn'],
  ['error: no such file', 'error'],
  ['constructor: not a level', 'info'],
  ['no errors were found', 'info'],
])('the level of %j is %s', (text, level) => {
  expect(levelOf({ source: 'stdout', text })).toBe(level)
})

it('a line on stderr is an error unless it says otherwise', () => {
  expect(levelOf({ source: 'stderr', text: '    at main (app.js:1:1)' })).toBe('error')
  expect(levelOf({ source: 'stderr', text: 'INFO started' })).toBe('info')
})

it('lines of the platform are for information', () => {
  expect(levelOf({ source: 'platform', text: 'svc: Error: no' })).toBe('info')
})
