// Repairs what a clock that was ahead left behind: waiting rows, and scheduled jobs whose next run is too late.
import { hourMs } from '@svc/contract/durations'
import { cronsAfter, moveNextRun } from '../../store/crons/crons.ts'
import { correctTimesAhead } from '../../store/platform/times-ahead.ts'
import type { Rows } from '../base/platform.ts'
import { nextRun } from '../crons/schedule.ts'

/** After a smaller correction a scheduled job does not run twice for the same minute. */
const smallMs = hourMs
const portion = 500

/** Returns how many rows of each table were repaired. */
export async function repairTimesAhead({ store, clock }: Rows): Promise<Record<string, number>> {
  const corrected = await correctTimesAhead(store.db, clock.now())
  const crons = await repairCrons({ store, clock })
  return crons > 0 ? { ...corrected, crons: (corrected.crons ?? 0) + crons } : corrected
}

/** A job that skips a run between now and its next one got that from a clock that was ahead. */
async function repairCrons({ store, clock }: Rows): Promise<number> {
  let moved = 0
  let after = ''
  for (;;) {
    const crons = await cronsAfter(store.db, { nextRunAfter: clock.now() + smallMs, id: after }, portion)
    for (const cron of crons) {
      const now = clock.now()
      const expected = nextRun(cron.schedule, now + smallMs)
      if (expected === null || cron.next_run_at === null || cron.next_run_at <= expected) continue
      if (await moveNextRun(store.db, cron, nextRun(cron.schedule, now))) moved++
    }
    if (crons.length < portion) return moved
    after = crons.at(-1)!.id
  }
}
