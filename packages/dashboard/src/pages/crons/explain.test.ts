import { expect, it } from 'vitest'
import { explain } from './explain.ts'

it.each([
  ['* * * * *', 'every minute (UTC)'],
  ['*/15 * * * *', 'every 15 minutes (UTC)'],
  ['30 * * * *', 'every hour at minute 30 (UTC)'],
  ['0 */6 * * *', 'every 6 hours at minute 0 (UTC)'],
  ['0 9 * * *', 'at 09:00 (UTC)'],
  ['5 9,17 * * MON-FRI', 'at 09:05 and 17:05 on Monday to Friday (UTC)'],
  ['0 0 1 * *', 'at 00:00 on day 1 of the month (UTC)'],
  ['0 0 1,15 1 0', 'at 00:00 on day 1 and 15 of the month or on Sunday in January (UTC)'],
  ['0,30 8-18 * * 1-5', 'at minute 0 and 30 of hour 8 to 18 on Monday to Friday (UTC)'],
  ['0 0 */2 jan-mar *', 'at 00:00 on every 2. day of the month in January to March (UTC)'],
])('explain puts %s into words', (schedule, words) => {
  expect(explain(schedule)).toBe(words)
})

it.each(['', '* * * *', '* * * * * *', '0 0 * * L', '0 0 ? * moo'])(
  'explain says nothing of "%s"',
  schedule => {
    expect(explain(schedule)).toBeUndefined()
  },
)
