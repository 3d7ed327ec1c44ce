// New email addresses that wait for their confirmation, at most one for each account.
import type { Db, Tx } from '../store.ts'
import type { EmailChangeRow } from '../tables.ts'

/** Replaces an earlier change, whose link stops working. */
export async function saveEmailChange(tx: Tx, row: EmailChangeRow): Promise<void> {
  await deleteEmailChange(tx, row.account_id)
  await tx.insertInto('email_changes').values(row).execute()
}

export const findEmailChange = (
  db: Db,
  accountId: string,
  now: number,
): Promise<EmailChangeRow | undefined> =>
  db
    .selectFrom('email_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export async function deleteEmailChange(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('email_changes').where('account_id', '=', accountId).execute()
}

/** Deletes a change whose email was not sent. A newer change stays. */
export async function withdrawEmailChange(
  db: Db,
  change: Pick<EmailChangeRow, 'account_id' | 'token_hash'>,
): Promise<void> {
  await db
    .deleteFrom('email_changes')
    .where('account_id', '=', change.account_id)
    .where('token_hash', '=', change.token_hash)
    .execute()
}

export async function deleteExpiredEmailChanges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
