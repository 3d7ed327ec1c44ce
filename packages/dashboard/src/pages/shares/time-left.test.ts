import { expect, it } from 'vitest'
import { timeLeft } from './time-left.ts'

const minute = 60_000
const now = Date.parse('2026-11-15T12:00:00.000Z')
const after = (minutes: number) => timeLeft(new Date(now + minutes * minute).toISOString(), now)

it.each([
  [30 * 24 * 60, '30 days left'],
  [7 * 24 * 60 - 1, '7 days left'],
  [37 * 60, '2 days left'],
  [36 * 60, '36 hours left'],
  [24 * 60 - 1, '24 hours left'],
  [91, '2 hours left'],
  [90, '90 minutes left'],
  [0.1, '1 minute left'],
  [0, 'Expired'],
  [-5, 'Expired'],
])('timeLeft says of %d minutes: %s', (minutes, words) => {
  expect(after(minutes)).toBe(words)
})
