// Backups of the platform: which process makes one, when the next one is due, and how the last ones went.
import type { Db } from '../store.ts'
import type { BackupKeyRow, BackupRow } from '../tables.ts'

/** The row of a place that nothing is known of yet. */
const unknown = {
  ...{ holder: '', held_until: 0, began_at: null, schedule: null, next_run_at: null },
  ...{ good_at: null, good_id: null, good_bytes: 0, sent_bytes: 0, snapshots: 0, damaged: 0 },
  ...{ failures: 0, failed_at: null, error: null },
}

type Held = Pick<BackupRow, 'place' | 'holder'>

interface Claim extends Held {
  /** The beginning of the names of processes that are known to have ended. */
  ended: string
  now: number
  until: number
}

/** Returns false if another process makes a backup. */
export async function claimBackup(db: Db, { place, holder, ended, now, until }: Claim): Promise<boolean> {
  await ensureBackup(db, place)
  const claimed = await db
    .updateTable('backups')
    .set({ holder, held_until: until, began_at: now })
    .where('place', '=', place)
    .where(eb => eb.or([eb('held_until', '<', now), eb('holder', 'like', `${ended}%`)]))
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n
}

/** Returns false if another process has taken over. */
export async function holdBackup(db: Db, { place, holder }: Held, until: number): Promise<boolean> {
  const held = await db
    .updateTable('backups')
    .set({ held_until: until })
    .where('place', '=', place)
    .where('holder', '=', holder)
    .executeTakeFirst()
  return held.numUpdatedRows === 1n
}

export async function releaseBackup(db: Db, held: Held): Promise<void> {
  await holdBackup(db, held, 0)
}

type Good = Pick<BackupRow, 'good_id' | 'good_bytes' | 'sent_bytes' | 'damaged'> & { now: number }

export async function recordGoodBackup(db: Db, place: string, { now, ...good }: Good): Promise<void> {
  await db
    .updateTable('backups')
    .set({ ...good, good_at: now, failures: 0, failed_at: null, error: null })
    .where('place', '=', place)
    .execute()
}

export async function recordSnapshots(db: Db, place: string, snapshots: number): Promise<void> {
  await db.updateTable('backups').set({ snapshots }).where('place', '=', place).execute()
}

/** Returns how many backups have failed since the last good one. */
export async function recordFailedBackup(
  db: Db,
  place: string,
  { now, error }: { now: number; error: string },
): Promise<number> {
  await ensureBackup(db, place)
  const { failures } = await db
    .updateTable('backups')
    .set(eb => ({
      ...{ error, failures: eb('failures', '+', 1) },
      failed_at: eb.fn.coalesce('failed_at', eb.val(now)),
    }))
    .where('place', '=', place)
    .returning('failures')
    .executeTakeFirstOrThrow()
  return Number(failures)
}

export const findBackup = (db: Db, place: string): Promise<BackupRow | undefined> =>
  db.selectFrom('backups').selectAll().where('place', '=', place).executeTakeFirst()

export async function ensureBackup(db: Db, place: string): Promise<void> {
  await db
    .insertInto('backups')
    .values({ ...unknown, place })
    .onConflict(c => c.column('place').doNothing())
    .execute()
}

/** Returns false if another process has set another time meanwhile. */
export async function setNextBackup(
  db: Db,
  { place, schedule, next_run_at: before }: Pick<BackupRow, 'place' | 'schedule' | 'next_run_at'>,
  next: number,
): Promise<boolean> {
  const updated = await db
    .updateTable('backups')
    .set({ schedule, next_run_at: next })
    .where('place', '=', place)
    .where('next_run_at', before === null ? 'is' : '=', before)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export const findBackupKey = (db: Db, place: string): Promise<BackupKeyRow | undefined> =>
  db.selectFrom('backup_keys').selectAll().where('place', '=', place).executeTakeFirst()

export async function saveBackupKey(db: Db, { place, ...sealed }: BackupKeyRow): Promise<void> {
  await db
    .insertInto('backup_keys')
    .values({ place, ...sealed })
    .onConflict(conflict => conflict.column('place').doUpdateSet(sealed))
    .execute()
}
