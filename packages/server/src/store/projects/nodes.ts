// The version of Node that a project asks for in its settings.
import type { Db, Tx } from '../store.ts'

/** Null if its files decide. */
export async function findProjectNode(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom('project_nodes')
    .select('range')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.range ?? null
}

export async function saveProjectNode(tx: Tx, projectId: string, range: string | null): Promise<void> {
  await tx.deleteFrom('project_nodes').where('project_id', '=', projectId).execute()
  if (range !== null) await tx.insertInto('project_nodes').values({ project_id: projectId, range }).execute()
}
