import { expect, it } from 'vitest'
import { scheduleWords } from './schedule-words.ts'

it.each([
  ['* * * * *', 'Every minute'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['*/5 9-17 * * 1-5', 'Every 5 minutes, 09:00–17:59 UTC, Monday to Friday'],
  ['30 * * * *', 'At 30 minutes past the hour'],
  ['0 */6 * * *', 'On the hour, every 6 hours (UTC)'],
  [' 0  9 * * * ', 'At 09:00 UTC'],
  ['0 9-17 * * *', 'Every hour, 09:00–17:00 UTC'],
  ['* 9 * * *', 'Every minute, 09:00–09:59 UTC'],
  ['0-30 9 * * *', 'Every minute, 09:00–09:30 UTC'],
  ['0 9 * * 1', 'At 09:00 UTC, on Monday'],
  ['0 9 * * 7', 'At 09:00 UTC, on Sunday'],
  ['5 9,17 * * MON-FRI', 'At 09:05 and 17:05 UTC, Monday to Friday'],
  ['*/7 * * * 0,6', 'Every 7 minutes, on Sunday and Saturday (UTC)'],
  ['0 0 1 * *', 'At 00:00 UTC, on day 1 of the month'],
  ['0 0 1-7 * *', 'At 00:00 UTC, on days 1 to 7 of the month'],
  ['0 0 1,15 1 0', 'At 00:00 UTC, on day 1 and 15 of the month, or on Sunday, in January'],
  ['0 0 L * *', 'At 00:00 UTC, on the last day of the month'],
])('puts %s into words', (schedule, words) => {
  expect(scheduleWords(schedule)).toBe(words)
})

it.each(['', '* * * *', '* * * * * *', '61 * * * *', '0 0 ? * moo', '@daily'])(
  'a schedule that the words do not cover, "%s", has no words',
  schedule => {
    expect(scheduleWords(schedule)).toBeUndefined()
  },
)
