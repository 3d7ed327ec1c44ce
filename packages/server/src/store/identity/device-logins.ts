// Device logins while they wait for approval.
import type { Db, Tx } from '../store.ts'
import type { DeviceLoginRow } from '../tables.ts'

/** Returns false if the user code happens to be in use. */
export async function insertDeviceLogin(db: Db, row: DeviceLoginRow): Promise<boolean> {
  const inserted = await db
    .insertInto('device_logins')
    .values(row)
    .onConflict(c => c.column('user_code').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** A login at GitHub is not found: its user code is approved at GitHub, not here. */
export const findWaiting = (db: Db, userCode: string, now: number): Promise<DeviceLoginRow | undefined> =>
  db
    .selectFrom('device_logins')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('github', 'is', null)
    .where('status', '=', 'waiting')
    .where('expires_at', '>', now)
    .executeTakeFirst()

/** Compare and swap from `waiting`. Returns false if someone decided before, it expired, or it is a login at GitHub. */
export async function decide(
  db: Db,
  userCode: string,
  decision: { status: 'approved' | 'denied'; account_id: string },
  now: number,
): Promise<boolean> {
  const updated = await db
    .updateTable('device_logins')
    .set(decision)
    .where('user_code', '=', userCode)
    .where('github', 'is', null)
    .where('status', '=', 'waiting')
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Notes the poll and answers the row as it was before; the update's lock makes polls take turns. */
export async function notePoll(
  tx: Tx,
  codeHash: string,
  now: number,
): Promise<(DeviceLoginRow & { polled_before: number | null }) | undefined> {
  const before = await tx
    .selectFrom('device_logins')
    .select('polled_at')
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  const row = await tx
    .updateTable('device_logins')
    .set({ polled_at: now })
    .where('code_hash', '=', codeHash)
    .returningAll()
    .executeTakeFirst()
  return row && { ...row, polled_before: before?.polled_at ?? null }
}

/** A device code yields its token once. */
export async function markUsed(tx: Tx, codeHash: string): Promise<boolean> {
  const updated = await tx
    .updateTable('device_logins')
    .set({ status: 'used' })
    .where('code_hash', '=', codeHash)
    .where('status', '=', 'approved')
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** A login at GitHub that has come to its end. */
export async function endLogin(db: Db, codeHash: string, status: 'denied' | 'used'): Promise<void> {
  await db
    .updateTable('device_logins')
    .set({ status, github: null })
    .where('code_hash', '=', codeHash)
    .execute()
}

export async function setInterval(db: Db, codeHash: string, intervalMs: number): Promise<void> {
  await db
    .updateTable('device_logins')
    .set({ interval_ms: intervalMs })
    .where('code_hash', '=', codeHash)
    .execute()
}

/** Logins that the account approved and whose token was not fetched yet. */
export async function denyApproved(db: Db, accountId: string): Promise<void> {
  await db
    .updateTable('device_logins')
    .set({ status: 'denied' })
    .where('account_id', '=', accountId)
    .where('status', '=', 'approved')
    .execute()
}

/**
 * Deletes the logins at GitHub that would link a GitHub user to the account. A link is `used` while the platform asks GitHub
 * who the user is.
 */
export async function deleteUnfinishedLinks(tx: Tx, accountId: string): Promise<void> {
  await tx
    .deleteFrom('device_logins')
    .where('account_id', '=', accountId)
    .where('status', 'in', ['waiting', 'used'])
    .execute()
}

export async function loginExists(tx: Tx, codeHash: string): Promise<boolean> {
  const row = await tx
    .selectFrom('device_logins')
    .select('code_hash')
    .where('code_hash', '=', codeHash)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteExpiredLogins(db: Db, before: number): Promise<void> {
  await db.deleteFrom('device_logins').where('expires_at', '<', before).execute()
}
