// Which backups stay: the newest of each of the last hours, days, weeks and months that have one.
import { dayMs, hourMs } from '@svc/contract/durations'
import type { Keep } from '../../../config.ts'
import { timeOfSnapshot } from './snapshot.ts'

/** The hour, the day, the week and the month of a time, in UTC. Weeks begin on Monday. */
const periods: Record<keyof Keep, (time: number) => string> = {
  hours: time => String(Math.floor(time / hourMs)),
  days: time => String(Math.floor(time / dayMs)),
  // The first day of 1970 was a Thursday.
  weeks: time => String(Math.floor((time / dayMs + 3) / 7)),
  months: time => new Date(time).toISOString().slice(0, 7),
}

/** The newest one always stays. `ids` has the oldest first. */
export function keptOf(ids: readonly string[], keep: Keep): Set<string> {
  const newestFirst = ids.toReversed()
  const kept = new Set(newestFirst.slice(0, 1))
  for (const [name, periodOf] of Object.entries(periods)) {
    const seen = new Set<string>()
    for (const id of newestFirst) {
      const period = periodOf(timeOfSnapshot(id)!)
      if (seen.has(period)) continue
      seen.add(period)
      if (seen.size > keep[name as keyof Keep]) break
      kept.add(id)
    }
  }
  return kept
}
