// How long stats are kept: what is listed by the hour for 72 hours, rollups for 400 days, and who the visitors of a day
// were not even until the next.
import { deleteOldHours, deleteOldNames, deleteOldVisitors } from '../../store/stats/retention.ts'
import { deleteOldSalts } from '../../store/stats/salts.ts'
import type { StatsNameRow } from '../../store/tables.ts'
import type { Platform } from '../platform.ts'
import { dayMs, dayOf, hourMs, hourOf } from './periods.ts'

const rawHours = 72
const rollupDays = 400
/** Answers of the last moment of a day are counted in the first of the next. */
const lateMs = 60_000

const kept: Record<StatsNameRow['kind'], 'raw' | 'rollup'> = {
  cache: 'raw',
  country: 'raw',
  host: 'raw',
  path: 'raw',
  'view country': 'rollup',
  'view page': 'rollup',
  'view referrer': 'rollup',
}

export async function forgetOldStats({ store: { db }, clock }: Platform): Promise<void> {
  const now = clock.now()
  const before = {
    raw: hourOf(now) - (rawHours - 1) * hourMs,
    rollup: dayOf(now) - rollupDays * dayMs,
  }
  const today = dayOf(now - lateMs)
  await deleteOldSalts(db, today)
  await deleteOldVisitors(db, today)
  for (const [kind, which] of Object.entries(kept))
    await deleteOldNames(db, kind as StatsNameRow['kind'], before[which])
  await deleteOldHours(db, before.rollup)
}
