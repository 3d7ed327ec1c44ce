// The time ranges that the logs can be limited to.
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'

/** `all` is as long as the log is kept. */
export type TimeRange = '15m' | '1h' | '6h' | '24h' | 'all'

const lengths: Record<Exclude<TimeRange, 'all'>, number> = {
  '15m': 15 * minuteMs,
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': dayMs,
}

/** The choices for a log that is kept for this long. */
export const timeRanges = (kept: string): readonly { value: TimeRange; title: string }[] => [
  { value: 'all', title: `All (${kept})` },
  { value: '15m', title: 'Last 15 minutes' },
  { value: '1h', title: 'Last hour' },
  { value: '6h', title: 'Last 6 hours' },
  { value: '24h', title: 'Last 24 hours' },
]

/** When the range begins, in unix seconds as the API takes them. `undefined` for all. */
export const sinceOf = (range: TimeRange, now: number): string | undefined =>
  range === 'all' ? undefined : ((now - lengths[range]) / 1000).toFixed(3)
