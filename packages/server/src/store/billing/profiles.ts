// Invoice details of accounts and orgs.
import type { Db, Tx } from '../store.ts'
import type { BillingProfileRow } from '../tables.ts'

export const findProfile = (db: Db, ownerId: string): Promise<BillingProfileRow | undefined> =>
  db.selectFrom('billing_profiles').selectAll().where('owner_id', '=', ownerId).executeTakeFirst()

export async function putProfile(tx: Tx, row: BillingProfileRow): Promise<void> {
  const { owner_id: _, ...content } = row
  await tx
    .insertInto('billing_profiles')
    .values(row)
    .onConflict(c => c.column('owner_id').doUpdateSet(content))
    .execute()
}

export async function deleteProfile(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('billing_profiles').where('owner_id', '=', ownerId).execute()
}
