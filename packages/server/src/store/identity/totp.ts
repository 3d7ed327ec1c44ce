// The secrets of authenticator apps.
import type { Db, Tx } from '../store.ts'
import type { TotpSecretRow } from '../tables.ts'

/** Also one that is not enabled yet. */
export const findTotp = (db: Db, accountId: string): Promise<TotpSecretRow | undefined> =>
  db.selectFrom('totp_secrets').selectAll().where('account_id', '=', accountId).executeTakeFirst()

/** Replaces one that is not enabled yet. Returns false if one is enabled. */
export async function saveNewTotp(tx: Tx, row: TotpSecretRow): Promise<boolean> {
  const saved = await tx
    .insertInto('totp_secrets')
    .values(row)
    .onConflict(c => c.column('account_id').doUpdateSet(row).where('totp_secrets.enabled_at', 'is', null))
    .executeTakeFirst()
  return saved.numInsertedOrUpdatedRows === 1n
}

/** Returns false if it is enabled already. */
export async function enableTotp(tx: Tx, accountId: string, at: number, step: number): Promise<boolean> {
  const enabled = await tx
    .updateTable('totp_secrets')
    .set({ enabled_at: at, last_step: step })
    .where('account_id', '=', accountId)
    .where('enabled_at', 'is', null)
    .executeTakeFirst()
  return enabled.numUpdatedRows === 1n
}

/** Uses up a time step and all before it. Returns false if a code of that step or a later one was used. */
export async function useTotpStep(db: Db, accountId: string, step: number): Promise<boolean> {
  const used = await db
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/** Returns whether an enabled one was deleted. */
export async function deleteTotp(tx: Tx, accountId: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('totp_secrets')
    .where('account_id', '=', accountId)
    .returning('enabled_at')
    .executeTakeFirst()
  return deleted !== undefined && deleted.enabled_at !== null
}
