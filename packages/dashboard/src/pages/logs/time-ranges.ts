// The time ranges that the logs can be limited to.
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'

/** As the page's URL names it: a range such as `1h`, or `custom` with the moments that it is between. */
export interface TimeRange {
  range: string
  /** ISO timestamps in UTC, or empty. */
  from: string
  to: string
}

const lengths: Record<string, number> = {
  '15m': 15 * minuteMs,
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': dayMs,
}

/** The choices for a log that is kept for this long. */
export const timeRanges = (kept: string): readonly { value: string; title: string }[] => [
  { value: '', title: `All (${kept})` },
  { value: '15m', title: 'Last 15 minutes' },
  { value: '1h', title: 'Last hour' },
  { value: '6h', title: 'Last 6 hours' },
  { value: '24h', title: 'Last 24 hours' },
  { value: 'custom', title: 'From … to …' },
]

/** The bounds in unix seconds, as the API takes them. An unknown range has none. */
export function boundsOf({ range, from, to }: TimeRange, now: number): { since?: string; until?: string } {
  const length = Object.hasOwn(lengths, range) ? lengths[range] : undefined
  if (length !== undefined) return { since: seconds(now - length) }
  if (range !== 'custom') return {}
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return {
    ...(first > 0 && { since: seconds(first) }),
    ...(last > 0 && { until: seconds(last) }),
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** The value of a local date and time input as an ISO timestamp in UTC. Empty if it is no moment. */
export function utcOf(local: string): string {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().replace(':00.000Z', 'Z')
}

/** The other way round: what a local date and time input shows. */
export function localOf(utc: string): string {
  const at = new Date(utc)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}
