// The version of svcd that last started on the database.
import type { Db } from '../store.ts'

/** The row exists once the platform has its id. */
export async function recordVersion(db: Db, version: string): Promise<void> {
  await db
    .updateTable('platform')
    .set({ version })
    .where(eb => eb.or([eb('version', 'is', null), eb('version', '<>', version)]))
    .execute()
}
