// Which projects an account has starred.
import { isMissingReference } from '../faults.ts'
import type { Db } from '../store.ts'

/** Returns false if the project is gone. */
export async function addStar(db: Db, accountId: string, projectId: string): Promise<boolean> {
  try {
    await db
      .insertInto('stars')
      .values({ account_id: accountId, project_id: projectId })
      .onConflict(c => c.columns(['account_id', 'project_id']).doNothing())
      .execute()
    return true
  } catch (error) {
    if (isMissingReference(error)) return false
    throw error
  }
}

export async function removeStar(db: Db, accountId: string, projectId: string): Promise<void> {
  await db
    .deleteFrom('stars')
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .execute()
}
