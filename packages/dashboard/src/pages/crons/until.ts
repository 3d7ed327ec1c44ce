// The time until something comes, in words.
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'

const steps = [
  { unit: 'day', ms: dayMs },
  { unit: 'hour', ms: hourMs },
  { unit: 'minute', ms: minuteMs },
] as const
const relative = new Intl.RelativeTimeFormat('en', { style: 'long', numeric: 'always' })

/** "within a minute", "in 5 minutes", "in 3 days" */
export function untilWords(iso: string, now: number): string {
  const left = Date.parse(iso) - now
  const step = steps.find(({ ms }) => left >= ms)
  return step ? relative.format(Math.round(left / step.ms), step.unit) : 'within a minute'
}
