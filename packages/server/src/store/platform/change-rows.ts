// Old rows of the change feed.
import type { Db } from '../store.ts'

export async function deleteOldChanges(db: Db, before: number): Promise<void> {
  await db.deleteFrom('changes').where('at', '<', before).execute()
}
