// Passkeys, and the challenges that they sign.
import type { Db, Tx } from '../store.ts'
import type { PasskeyChallengeRow, PasskeyRow } from '../tables.ts'

export const listPasskeys = (db: Db, accountId: string): Promise<PasskeyRow[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findPasskey = (db: Db, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Returns false if the credential is known already. */
export async function insertPasskey(tx: Tx, row: PasskeyRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('passkeys')
    .values(row)
    .onConflict(c => c.column('credential_id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Returns false if it was removed, or if an answer with a higher counter was used since it was read. */
export async function notePasskeyUse(
  tx: Tx,
  read: PasskeyRow,
  { counter, at }: { counter: number; at: number },
): Promise<boolean> {
  const noted = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: at })
    .where('id', '=', read.id)
    .where('counter', '=', read.counter)
    .executeTakeFirst()
  return noted.numUpdatedRows === 1n
}

/** Returns `undefined` if the account has no such passkey. */
export const renamePasskey = (
  tx: Tx,
  { id, accountId, name }: { id: string; accountId: string; name: string },
): Promise<PasskeyRow | undefined> =>
  tx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst()

export async function deletePasskey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('id', '=', id).execute()
}

/** Returns how many there were. */
export async function deletePasskeysOf(tx: Tx, accountId: string): Promise<number> {
  const deleted = await tx.deleteFrom('passkeys').where('account_id', '=', accountId).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

export async function insertPasskeyChallenge(db: Db, row: PasskeyChallengeRow): Promise<void> {
  await db.insertInto('passkey_challenges').values(row).execute()
}

/** A challenge works once. Returns false if there is no such one. */
export async function usePasskeyChallenge(
  db: Db,
  { hash, purpose, account_id }: Omit<PasskeyChallengeRow, 'expires_at'>,
  now: number,
): Promise<boolean> {
  const used = await db
    .deleteFrom('passkey_challenges')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('account_id', account_id === null ? 'is' : '=', account_id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return used.numDeletedRows === 1n
}

export async function deleteExpiredPasskeyChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}
