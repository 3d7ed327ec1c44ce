// The hashes of recovery codes. A used code is deleted.
import type { Db, Tx } from '../store.ts'

export async function replaceRecoveryCodes(tx: Tx, accountId: string, hashes: string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
  if (hashes.length > 0)
    await tx
      .insertInto('recovery_codes')
      .values(hashes.map(hash => ({ account_id: accountId, hash })))
      .execute()
}

/** Returns false if there is no such code, or it was used. */
export async function useRecoveryCode(db: Db, accountId: string, hash: string): Promise<boolean> {
  const used = await db
    .deleteFrom('recovery_codes')
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return used.numDeletedRows === 1n
}

export async function countRecoveryCodes(db: Db, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(eb => eb.fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
