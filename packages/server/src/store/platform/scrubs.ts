// Readings of all stored packs: who reads which place, how far the reading is, and what it found damaged.
import type { Db } from '../store.ts'
import type { DamagedPackRow, ScrubRow } from '../tables.ts'

/** The row of a place that nothing is known of yet. */
const unread = {
  ...{ holder: '', held_until: 0, began_at: null, read_to: '', packs: 0, bytes: 0 },
  ...{ ended_at: null, last_packs: 0, last_bytes: 0, repaired: 0 },
}

interface Claim {
  place: string
  host: string
  holder: string
  now: number
  until: number
  /** A reading that ended later than this is not repeated yet. */
  endedBefore: number
}

/**
 * Begins a reading of the place, or goes on with one that was interrupted. Returns `undefined` if there is none to do now, or
 * another process does it.
 */
export async function claimScrub(db: Db, claim: Claim): Promise<ScrubRow | undefined> {
  const { place, host, holder, now, until, endedBefore } = claim
  await db
    .insertInto('scrubs')
    .values({ ...unread, place, host, seen_at: now })
    .onConflict(c => c.column('place').doUpdateSet({ seen_at: now }))
    .execute()
  return await db
    .updateTable('scrubs')
    .set(eb => ({ host, holder, held_until: until, began_at: eb.fn.coalesce('began_at', eb.val(now)) }))
    .where('place', '=', place)
    .where(eb => eb.or([eb('holder', '=', holder), eb('held_until', '<', now)]))
    .where(eb =>
      eb.or([eb('began_at', 'is not', null), eb('ended_at', 'is', null), eb('ended_at', '<', endedBefore)]),
    )
    .returningAll()
    .executeTakeFirst()
}

type Progress = Pick<ScrubRow, 'held_until' | 'seen_at' | 'read_to' | 'packs' | 'bytes' | 'repaired'>

/** Returns false if another process has taken over. */
export async function recordProgress(
  db: Db,
  { place, holder }: Pick<ScrubRow, 'place' | 'holder'>,
  progress: Progress,
): Promise<boolean> {
  const updated = await db
    .updateTable('scrubs')
    .set(progress)
    .where('place', '=', place)
    .where('holder', '=', holder)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Lets another process go on. */
export async function releaseScrub(
  db: Db,
  { place, holder }: Pick<ScrubRow, 'place' | 'holder'>,
): Promise<void> {
  await db
    .updateTable('scrubs')
    .set({ held_until: 0 })
    .where('place', '=', place)
    .where('holder', '=', holder)
    .execute()
}

/** Packs that this reading did not find damaged again are whole by now, or deleted. */
export async function endScrub(db: Db, row: ScrubRow, now: number): Promise<void> {
  await db
    .deleteFrom('damaged_packs')
    .where('place', '=', row.place)
    .where('found_at', '<', Number(row.began_at))
    .execute()
  await db
    .updateTable('scrubs')
    .set(eb => ({
      ...{ held_until: 0, began_at: null, read_to: '', packs: 0, bytes: 0, ended_at: now },
      ...{ last_packs: eb.ref('packs'), last_bytes: eb.ref('bytes') },
    }))
    .where('place', '=', row.place)
    .where('holder', '=', row.holder)
    .execute()
}

export async function recordDamage(db: Db, row: DamagedPackRow): Promise<void> {
  const { damage, found_at } = row
  await db
    .insertInto('damaged_packs')
    .values(row)
    .onConflict(c => c.columns(['place', 'pack_id']).doUpdateSet({ damage, found_at }))
    .execute()
}

export const listScrubs = (db: Db): Promise<ScrubRow[]> =>
  db.selectFrom('scrubs').selectAll().orderBy('place').execute()

export const listDamaged = (db: Db, atMost: number): Promise<DamagedPackRow[]> =>
  db.selectFrom('damaged_packs').selectAll().orderBy('found_at').orderBy('pack_id').limit(atMost).execute()

/** Places of nodes that are gone. */
export async function deleteOldScrubs(db: Db, before: number): Promise<void> {
  await db.deleteFrom('scrubs').where('seen_at', '<', before).execute()
}
