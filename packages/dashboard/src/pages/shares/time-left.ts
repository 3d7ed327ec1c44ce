// How long a share still lives, in words.
import { formatCount } from '../../format.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** "7 days left", "23 hours left", "5 minutes left", "Expired". */
export function timeLeft(expiresAt: string, now: number): string {
  const left = Date.parse(expiresAt) - now
  if (left <= 0) return 'Expired'
  if (left > 36 * hour) return `${formatCount(Math.round(left / day), 'day')} left`
  if (left > 90 * minute) return `${formatCount(Math.round(left / hour), 'hour')} left`
  return `${formatCount(Math.ceil(left / minute), 'minute')} left`
}
