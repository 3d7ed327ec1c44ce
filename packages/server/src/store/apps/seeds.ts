// Whether the data of a branch was seeded: its database, and its disk.
import type { Db } from '../store.ts'

interface Branch {
  projectId: string
  branch: string
}

/** False also if the branch has neither a database nor a disk. */
export async function hasUnseededData(db: Db, { projectId, branch }: Branch): Promise<boolean> {
  const database = await db
    .selectFrom('app_databases')
    .select('id')
    .where('preview_of', '=', projectId)
    .where('branch', '=', branch)
    .where('ready_at', 'is not', null)
    .where('seeded_at', 'is', null)
    .executeTakeFirst()
  if (database) return true
  const disk = await db
    .selectFrom('disks')
    .select('id')
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .where('removed_at', 'is', null)
    .where('seeded_at', 'is', null)
    .executeTakeFirst()
  return disk !== undefined
}

export async function markSeeded(db: Db, { projectId, branch }: Branch, now: number): Promise<void> {
  const seeded = { seeded_at: now }
  await db
    .updateTable('app_databases')
    .set(seeded)
    .where('preview_of', '=', projectId)
    .where('branch', '=', branch)
    .execute()
  await db
    .updateTable('disks')
    .set(seeded)
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .execute()
}
