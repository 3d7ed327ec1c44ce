import { describe, expect, it } from 'vitest'
import { boundsOf, localOf, utcOf } from './time-ranges.ts'

const now = Date.UTC(2026, 10, 16, 12)
const range = (range: string, from = '', to = '') => boundsOf({ range, from, to }, now)

describe('the time range of a log', () => {
  it('is everything, unless a range is named', () => {
    expect(range('')).toEqual({})
    expect(range('nonsense')).toEqual({})
    expect(range('constructor')).toEqual({})
    expect(range('', '2026-11-16T10:00Z')).toEqual({})
  })

  it('ends now', () => {
    expect(range('15m')).toEqual({ since: String((now - 900_000) / 1000).concat('.000') })
  })

  it('is between two moments, of which each may be missing', () => {
    expect(range('custom', '2026-11-16T10:00Z', '2026-11-16T11:00:30Z')).toEqual({
      since: '1794823200.000',
      until: '1794826830.000',
    })
    expect(range('custom', '', '2026-11-16T11:00Z')).toEqual({ until: '1794826800.000' })
    expect(range('custom', 'soon', 'later')).toEqual({})
    // The API takes no negative times.
    expect(range('custom', '0001-01-01T00:00Z')).toEqual({})
  })

  it('is entered in local time, and named in UTC', () => {
    expect(localOf(utcOf('2026-11-16T10:30'))).toBe('2026-11-16T10:30')
    expect(utcOf('2026-11-16T10:30')).toMatch(/^2026-11-1\dT\d\d:\d\dZ$/)
    expect([utcOf(''), utcOf('soon'), localOf('soon')]).toEqual(['', '', ''])
  })
})
