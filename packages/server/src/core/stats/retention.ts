// Deletes stats that are old enough. docs/stats.md tells users how long stats are kept: change its table with these times.

import { limits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { deleteOldHours, deleteOldNames, deleteOldVisitors } from '../../store/stats/retention.ts'
import { deleteOldSalts } from '../../store/stats/salts.ts'
import type { StatsNameRow } from '../../store/tables.ts'
import { dayOf, hourOf } from '../base/periods.ts'
import type { Rows } from '../base/platform.ts'
import { listKinds } from './lists.ts'

/** The lists of an hour are kept for the longest window of the live stats. */
const hourListsKept = limits.statsHours.max * hourMs
/** Must be longer than the longest period of the history, `limits.statsDays.max`. */
export const totalsAndDayListsKept = 400 * dayMs
/** As long as the breakdown can look back, and the day on which it is deleted. */
const combinedKept = (limits.breakdownDays + 1) * dayMs
/** Answers of the last moments of a day are counted shortly after midnight. */
const lateMs = 60_000

export async function forgetOldStats({ store: { db }, clock }: Rows): Promise<void> {
  const now = clock.now()
  /** The current hour counts as one of the hours that are kept. */
  const before = {
    hour: hourOf(now) + hourMs - hourListsKept,
    day: dayOf(now) - totalsAndDayListsKept,
  }
  const today = dayOf(now - lateMs)
  await deleteOldSalts(db, today)
  await deleteOldVisitors(db, today)
  for (const [kind, { of }] of Object.entries(listKinds))
    await deleteOldNames(db, kind as StatsNameRow['kind'], before[of])
  await deleteOldNames(db, 'view combined', dayOf(now) - combinedKept)
  await deleteOldHours(db, before.day)
}
