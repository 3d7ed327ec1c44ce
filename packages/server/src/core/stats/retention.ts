// How long stats are kept: hourly lists for 72 hours, rollups for 400 days, and the visitors of a day until the day is over.
import { deleteOldHours, deleteOldNames, deleteOldVisitors } from '../../store/stats/retention.ts'
import { deleteOldSalts } from '../../store/stats/salts.ts'
import type { StatsNameRow } from '../../store/tables.ts'
import type { Rows } from '../platform/platform.ts'
import { listKinds } from './lists.ts'
import { dayMs, dayOf, hourMs, hourOf } from './periods.ts'

const rawHours = 72
const rollupDays = 400
/** Answers of the last moments of a day are counted shortly after midnight. */
const lateMs = 60_000

export async function forgetOldStats({ store: { db }, clock }: Rows): Promise<void> {
  const now = clock.now()
  const before = {
    hour: hourOf(now) - (rawHours - 1) * hourMs,
    day: dayOf(now) - rollupDays * dayMs,
  }
  const today = dayOf(now - lateMs)
  await deleteOldSalts(db, today)
  await deleteOldVisitors(db, today)
  for (const [kind, { of }] of Object.entries(listKinds))
    await deleteOldNames(db, kind as StatsNameRow['kind'], before[of])
  await deleteOldHours(db, before.day)
}
