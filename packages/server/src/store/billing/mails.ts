// Emails about billing, each sent once.
import type { Db, Tx } from '../store.ts'
import type { BillingMailRow } from '../tables.ts'

/** Returns false if the same email was noted before. */
export async function insertMail(tx: Tx, row: BillingMailRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('billing_mails')
    .values(row)
    .onConflict(c => c.column('once').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export const findMail = (db: Db, id: string): Promise<BillingMailRow | undefined> =>
  db.selectFrom('billing_mails').selectAll().where('id', '=', id).executeTakeFirst()

export async function deleteOldMails(db: Db, before: number): Promise<void> {
  await db.deleteFrom('billing_mails').where('created_at', '<', before).execute()
}
