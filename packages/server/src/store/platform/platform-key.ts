// The id of the secret key that the nodes of this platform share: a hash of the key, which reveals nothing about it.
import type { Db } from '../store.ts'
import { type SealedTable, sealedTables } from './sealed.ts'

/** `undefined` before the first start. */
export async function findKeyId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('platform').select('key_id').executeTakeFirst()
  return row?.key_id ?? undefined
}

/** Of two nodes that do this at the same time, one succeeds. Returns whether this one did. */
export async function replaceKeyId(db: Db, id: string, replaced: string | undefined): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('platform')
    .set({ key_id: id })
    .where('key_id', replaced === undefined ? 'is' : '=', replaced ?? null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether a value exists that none of these keys sealed. */
export async function hasForeignSeal(db: Db, keyIds: readonly string[]): Promise<boolean> {
  for (const table of Object.keys(sealedTables) as SealedTable[]) {
    const foreign = await db
      .selectFrom(table)
      .select('key_id')
      .where('key_id', 'not in', keyIds)
      .executeTakeFirst()
    if (foreign) return true
  }
  return false
}
