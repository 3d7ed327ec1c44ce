// The periods that the stats can be asked for: hours up to the present one, or whole days in UTC.
import { limits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { Span } from '../../store/stats/reading.ts'
import { dayOf, hourOf, readDate } from '../base/periods.ts'

export interface DaysAsked {
  days?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The last `hours` hours. The present one counts. */
export const lastHours = (hours: number, now: number): Span => {
  const to = hourOf(now) + hourMs
  return { from: to - hours * hourMs, to }
}

/** The start of each hour or day. */
export const eachOf = ({ from, to }: Span, lengthMs: number): number[] =>
  Array.from({ length: (to - from) / lengthMs }, (_, i) => from + i * lengthMs)

/** The last `days` days, today included, or the days from `from` to `to`, both included. */
export function readDays({ days, from, to }: DaysAsked, now: number): Span {
  if (from === undefined && to === undefined) {
    const end = dayOf(now) + dayMs
    const { statsDays } = limits
    const length = days === undefined ? statsDays.default : wholeNumber('days', days, statsDays)
    return { from: end - length * dayMs, to: end }
  }
  if (days !== undefined) throw invalid('Give either days, or from and to.')
  if (from === undefined || to === undefined) throw invalid('from and to belong together.')
  const [first, last] = [readDate(from), readDate(to)]
  if (first === undefined) throw invalid('from: must be a day such as 2026-01-31')
  if (last === undefined) throw invalid('to: must be a day such as 2026-01-31')
  if (last < first) throw invalid('to: must not be before from')
  const { max } = limits.statsDays
  if ((last - first) / dayMs >= max) throw invalid(`from and to: must span at most ${max} days`)
  return { from: first, to: last + dayMs }
}

/** The hours or days of one period, whichever is asked for. */
export function readPeriod(
  { hours, ...days }: DaysAsked & { hours?: string | undefined },
  now: number,
): { span: Span; per: 'hour' | 'day' } {
  if (hours === undefined) return { span: readDays(days, now), per: 'day' }
  if (Object.values(days).some(value => value !== undefined)) throw invalid('Give either hours or days.')
  return { span: lastHours(wholeNumber('hours', hours, limits.statsHours), now), per: 'hour' }
}

function wholeNumber(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const number = Number(text)
  if (!/^\d{1,6}$/.test(text) || number < min || number > max)
    throw invalid(`${name}: must be a whole number from ${min} to ${max}`)
  return number
}

const invalid = (message: string): Fault => new Fault('invalid_request', message)
