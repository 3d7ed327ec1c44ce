import { expect, it } from 'vitest'
import { dayLabel, dayTicks, hourLabel, hourTicks } from './when.ts'

it('hours and days are written in UTC', () => {
  expect(hourLabel('2026-11-15T14:00:00.000Z')).toBe('Sun 14:00')
  expect(hourLabel('2026-11-15T00:00:00.000Z')).toBe('Sun 00:00')
  expect(dayLabel('2026-11-15')).toBe('Sun, Nov 15, 2026')
})

it('the axis has a few labels, with one at both ends', () => {
  const day = Array.from({ length: 24 }, (_, h) => `2026-11-15T${String(h).padStart(2, '0')}:00:00.000Z`)
  expect(hourTicks(day)).toEqual(['Sun 00:00', 'Sun 08:00', 'Sun 15:00', 'Sun 23:00'])
  expect(dayTicks(['2026-11-14', '2026-11-15'])).toEqual(['Nov 14', 'Nov 15'])
  expect(dayTicks(['2026-11-15'])).toEqual(['Nov 15'])
})
