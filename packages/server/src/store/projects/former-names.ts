// Renames of projects, and the names that projects had before.
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { FormerNameRow } from '../tables.ts'

/** Returns false if another project has the name. */
export async function setProjectName(tx: Tx, id: string, name: string): Promise<boolean> {
  const updated = await tx
    .updateTable('projects')
    .set({ name })
    .where('id', '=', id)
    .where(eb =>
      eb.not(eb.exists(eb.selectFrom('projects as other').select('id').where('other.name', '=', name))),
    )
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** The name at this moment. It may have changed since the project was read. */
export async function currentName(tx: Tx, id: string): Promise<string | undefined> {
  return (await tx.selectFrom('projects').select('name').where('id', '=', id).executeTakeFirst())?.name
}

export async function isNameTaken(db: Db, name: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

export async function keepFormerName(tx: Tx, row: FormerNameRow): Promise<void> {
  const { project_id, until } = row
  await tx
    .insertInto('former_names')
    .values(row)
    .onConflict(c => c.column('name').doUpdateSet({ project_id, until }))
    .execute()
}

/** The oldest of the names beyond `limit` become free. */
export async function limitFormerNames(tx: Tx, projectId: string, limit: number): Promise<void> {
  const kept = tx
    .selectFrom('former_names')
    .select('name')
    .where('project_id', '=', projectId)
    .orderBy('until', 'desc')
    .orderBy('name')
    .limit(limit)
  await tx
    .deleteFrom('former_names')
    .where('project_id', '=', projectId)
    .where('name', 'not in', kept)
    .execute()
}

export const formerNamesOf = (db: Db, projectId: string): Promise<FormerNameRow[]> =>
  db.selectFrom('former_names').selectAll().where('project_id', '=', projectId).execute()

export async function dropFormerName(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('former_names').where('name', '=', name).execute()
}

/** The project that had this name until lately. */
export const findFormerName = (db: Db, name: string, now: number): Promise<FormerNameRow | undefined> =>
  db
    .selectFrom('former_names')
    .selectAll()
    .where('name', '=', name)
    .where('until', '>', now)
    .executeTakeFirst()

/** The edge's read, for a name that no project has. */
export const findMovedSite = prepared((db, name: string) =>
  db
    .selectFrom('former_names')
    .innerJoin('projects', 'projects.id', 'former_names.project_id')
    .select(['projects.id as project_id', 'projects.name as project', 'former_names.until'])
    .where('former_names.name', '=', name),
)

/** The branches of a project that have a URL, with the slug of each. */
export const branchSlugs = (db: Db, projectId: string) =>
  db
    .selectFrom('deployments')
    .select(['git_branch', 'branch_slug'])
    .distinct()
    .where('project_id', '=', projectId)
    .where('git_branch', 'is not', null)
    .where('branch_slug', 'is not', null)
    .execute()

export async function setBranchSlug(
  tx: Tx,
  projectId: string,
  { from, to, branch }: { from: string; to: string; branch: string },
): Promise<void> {
  await tx
    .updateTable('deployments')
    .set({ branch_slug: to })
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('branch_slug', '=', from)
    .execute()
}
