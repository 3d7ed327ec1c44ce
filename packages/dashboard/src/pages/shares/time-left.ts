// How long a share still lives, in words.
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'
import { formatCount } from '../../format.ts'

/** "7 days left", "23 hours left", "5 minutes left", "Expired". */
export function timeLeft(expiresAt: string, now: number): string {
  const left = Date.parse(expiresAt) - now
  if (left <= 0) return 'Expired'
  if (left > 36 * hourMs) return `${formatCount(Math.round(left / dayMs), 'day')} left`
  if (left > 90 * minuteMs) return `${formatCount(Math.round(left / hourMs), 'hour')} left`
  return `${formatCount(Math.ceil(left / minuteMs), 'minute')} left`
}
