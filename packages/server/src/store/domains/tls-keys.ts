// Private keys of TLS, sealed.
import type { Db } from '../store.ts'
import type { TlsKeyRow } from '../tables.ts'

export const findTlsKey = (db: Db, id: string): Promise<TlsKeyRow | undefined> =>
  db.selectFrom('tls_keys').selectAll().where('id', '=', id).executeTakeFirst()

export async function saveTlsKey(db: Db, row: TlsKeyRow): Promise<void> {
  const { id, ...rest } = row
  await db
    .insertInto('tls_keys')
    .values(row)
    .onConflict(c => c.column('id').doUpdateSet(rest))
    .execute()
}

/** Returns false if there is one already. */
export async function addTlsKey(db: Db, row: TlsKeyRow): Promise<boolean> {
  const inserted = await db
    .insertInto('tls_keys')
    .values(row)
    .onConflict(c => c.column('id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function deleteTlsKey(db: Db, id: string): Promise<void> {
  await db.deleteFrom('tls_keys').where('id', '=', id).execute()
}
