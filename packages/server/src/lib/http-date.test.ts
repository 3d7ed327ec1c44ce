import { describe, expect, test } from 'vitest'
import { readHttpDate } from './http-date.ts'

const now = Date.UTC(2026, 5, 1)

describe('a date in a header field', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37.000Z'],
    ['Sun, 21 Nov 2286 04:46:39 GMT', '2286-11-21T04:46:39.000Z'],
    ['Thursday, 18-Aug-50 02:01:18 GMT', '2050-08-18T02:01:18.000Z'],
    ['Thursday, 18-Aug-76 02:01:18 GMT', '2076-08-18T02:01:18.000Z'],
    ['Thursday, 18-Aug-77 02:01:18 GMT', '1977-08-18T02:01:18.000Z'],
    ['THU, 18 AUG 2050 02:01:18 gmt', '2050-08-18T02:01:18.000Z'],
    ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z'],
    ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
  ])('%s is read', (text, expected) => {
    expect(new Date(readHttpDate(text, now)!).toISOString()).toBe(expected)
  })

  test.each([
    ['a number', '0'],
    ['a negative number', '-1'],
    ['nothing', ''],
    ['another time zone', 'Thu, 18 Aug 2050 02:01:18 UTC'],
    ['a time zone that nobody knows', 'Thu, 18 Aug 2050 02:01:18 AEST'],
    ['an offset', 'Thu, 18 Aug 2050 02:01:18 +0000'],
    ['no time zone', 'Thu, 18 Aug 2050 02:01:18'],
    ['a year of two digits', 'Thu, 18 Aug 50 02:01:18 GMT'],
    ['no comma', 'Thu 18 Aug 2050 02:01:18 GMT'],
    ['two spaces', 'Thu, 18  Aug  2050 02:01:18 GMT'],
    ['dashes', 'Thu, 18-Aug-2050 02:01:18 GMT'],
    ['dots in the time', 'Thu, 18 Aug 2050 02.01.18 GMT'],
    ['an hour of one digit', 'Thu, 18 Aug 2050 2:01:18 GMT'],
    ['a day of one digit', 'Thu, 8 Aug 2050 02:01:18 GMT'],
    ['a day that the month does not have', 'Fri, 30 Feb 2050 02:01:18 GMT'],
    ['an hour that no day has', 'Thu, 18 Aug 2050 24:01:18 GMT'],
    ['two dates', 'Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT'],
    ['ISO 8601', '2050-08-18T02:01:18Z'],
  ])('is no date with %s', (_, text) => {
    expect(readHttpDate(text, now)).toBeUndefined()
  })
})
