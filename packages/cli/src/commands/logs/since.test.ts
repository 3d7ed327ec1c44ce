import { describe, expect, it } from 'vitest'
import { Failure } from '../../failure.ts'
import { secondsOfStamp, sinceSeconds } from './since.ts'

describe('--since', () => {
  const now = Date.parse('2026-11-15T10:00:00.250Z')

  it.each([
    ['90s', '1794736710.250'],
    ['15m', '1794735900.250'],
    ['2h', '1794729600.250'],
    ['1d', '1794650400.250'],
    ['1794736710', '1794736710'],
    ['1794736710.123456789', '1794736710.123456789'],
    ['2026-11-15', '1794700800'],
    ['2026-11-15T10:00:00Z', '1794736800'],
    ['2026-11-15T10:00', '1794736800'],
    ['2026-11-15 12:00:00+02:00', '1794736800'],
    ['2026-11-15T10:00:00.123456789Z', '1794736800.123456789'],
    ['999999999d', '0.000'],
  ])('takes %s', (text, seconds) => {
    expect(sinceSeconds(text, now)).toBe(seconds)
  })

  it.each(['', 'yesterday', '15 m', '1w', '-5m', '2026-13-01', '2026-11-15T25:00', '1e9'])(
    'refuses %j',
    text => {
      expect(() => sinceSeconds(text, now)).toThrow(Failure)
    },
  )

  it('keeps every nanosecond of a stamp', () => {
    expect(secondsOfStamp('2026-11-15T10:00:00.000000007Z')).toBe('1794736800.000000007')
  })
})
