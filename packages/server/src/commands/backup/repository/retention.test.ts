import { expect, test } from 'vitest'
import { keptOf } from './retention.ts'

const none = { hours: 0, days: 0, weeks: 0, months: 0 }
const dayMs = 24 * 60 * 60 * 1000

/** The id of a backup that was made at this time. */
const idOf = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')}_00000000`

/** Two a day at 03:00 and 15:00, for so many days until Sunday, 2026-03-01. */
const twiceADay = (days: number): string[] =>
  Array.from({ length: days }, (_, i) => Date.parse('2026-03-01T03:00:00Z') - (days - 1 - i) * dayMs).flatMap(
    time => [idOf(time), idOf(time + dayMs / 2)],
  )

const days = (ids: Iterable<string>): string[] => [...ids].map(id => id.slice(0, 13)).sort()

test('the newest backup of each of the last days, weeks and months stays', () => {
  expect(days(keptOf(twiceADay(100), { hours: 0, days: 3, weeks: 3, months: 3 }))).toEqual([
    '20260131_1500',
    '20260215_1500',
    '20260222_1500',
    '20260227_1500',
    '20260228_1500',
    '20260301_1500',
  ])
})

test('days without a backup do not count', () => {
  const ids = ['2026-01-01', '2026-01-15', '2026-02-20'].map(day => idOf(Date.parse(day)))
  expect(keptOf(ids, { ...none, days: 3 })).toEqual(new Set(ids))
  expect(days(keptOf(ids, { ...none, days: 2 }))).toEqual(['20260115_0000', '20260220_0000'])
})

test('the newest one stays, whatever the setting says', () => {
  expect(days(keptOf(twiceADay(3), none))).toEqual(['20260301_1500'])
  expect(keptOf([], none).size).toBe(0)
})

test('several of a day stay if hours are kept', () => {
  expect(days(keptOf(twiceADay(3), { ...none, hours: 3 }))).toEqual([
    '20260228_1500',
    '20260301_0300',
    '20260301_1500',
  ])
})
