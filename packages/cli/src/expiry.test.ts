import { expect, test } from 'vitest'
import { expiry } from './expiry.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test.each([
  ['12h', '2026-03-02T00:00:00.000Z'],
  ['90d', '2026-05-30T12:00:00.000Z'],
  ['2w', '2026-03-15T12:00:00.000Z'],
  ['1y', '2027-03-01T12:00:00.000Z'],
  ['2026-12-31', '2026-12-31T00:00:00.000Z'],
  ['2026-12-31T10:00+02:00', '2026-12-31T08:00:00.000Z'],
  ['2026-12-31T10:00:30Z', '2026-12-31T10:00:30.000Z'],
])('--expires %s is %s', (text, at) => expect(expiry(text, now)).toEqual({ expires_at: at }))

test('without --expires a token never expires', () => expect(expiry(undefined)).toEqual({}))

test.each(['', '90', 'd', '0d', '-1d', '90 d', 'soon', '2026-02-30T99:00', '2020-01-01', '1e9d', '9999999d'])(
  '--expires %j is refused',
  text => expect(() => expiry(text, now)).toThrow('--expires takes'),
)
