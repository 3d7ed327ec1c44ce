// Projects: who owns them and which deployment is live.
import { type SqlBool, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { ProjectRow } from '../tables.ts'

export type ProjectWithOrg = ProjectRow & { org_name: string | null }

/** Returns false if the name is taken. */
export async function insertProject(tx: Tx, row: ProjectRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('projects')
    .values(row)
    .onConflict(c => c.column('name').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

type Owner = Pick<ProjectRow, 'account_id' | 'org_id'>

/**
 * Locks the project's row until the transaction ends. Call it before any other change of the project, so that concurrent
 * changes are serialized. Returns false if the project is gone or, if an owner is given, has another owner. Writing a row is
 * the one way to lock it that both databases know.
 */
export async function lockProject(tx: Tx, id: string, owner?: Owner): Promise<boolean> {
  const locked = await tx
    .updateTable('projects')
    .set(eb => ({ name: eb.ref('name') }))
    .where('id', '=', id)
    .$if(owner !== undefined, query => query.where(ownedBy(owner!)))
    .executeTakeFirst()
  return locked.numUpdatedRows === 1n
}

/** Locks the next projects in turn, after the one given. Returns the last of them, if there was any. */
export async function lockNextProjects(tx: Tx, after: string, limit: number): Promise<string | undefined> {
  const next = await tx
    .selectFrom('projects')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  for (const { id } of next) await lockProject(tx, id)
  return next.at(-1)?.id
}

const withOrg = (db: Db) =>
  db
    .selectFrom('projects')
    .leftJoin('orgs', 'orgs.id', 'projects.org_id')
    .selectAll('projects')
    .select('orgs.name as org_name')

/** A project that is not a temporary share. */
export const findProject = (db: Db, name: string): Promise<ProjectWithOrg | undefined> =>
  withOrg(db).where('projects.name', '=', name).where('projects.expires_at', 'is', null).executeTakeFirst()

/** A project or share. */
export const findProjectWithOrg = (db: Db, id: string): Promise<ProjectWithOrg | undefined> =>
  withOrg(db).where('projects.id', '=', id).executeTakeFirst()

/** Which of the ids are those of projects. */
export async function projectsAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('projects').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(row => row.id))
}

/** The account or org that owns each of the projects. */
export async function ownersAmong(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const columns = ['id', 'account_id', 'org_id'] as const
  const rows = await db.selectFrom('projects').select(columns).where('id', 'in', ids).execute()
  return new Map(rows.map(row => [row.id, row.org_id ?? row.account_id ?? '']))
}

export const findProjectById = (db: Db, id: string): Promise<ProjectRow | undefined> =>
  db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()

/** Transfers the project. Returns false if it has changed since it was read. */
export async function changeOwner(
  tx: Tx,
  seen: ProjectRow,
  to: Owner,
  { endsPasses }: { endsPasses: boolean },
): Promise<boolean> {
  const updated = await tx
    .updateTable('projects')
    .set(eb => ({
      ...to,
      access_generation: eb('access_generation', '+', endsPasses ? 1 : 0),
    }))
    .where('id', '=', seen.id)
    .where(ownedBy(seen))
    .where('access_mode', '=', seen.access_mode)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/**
 * Takes the project offline for good: from now on it counts as a share that is over, which the sweep deletes. Returns false if it
 * is gone already, or has another owner.
 */
export async function endProject(tx: Tx, { id, ...owner }: Owner & { id: string }): Promise<boolean> {
  const ended = await tx
    .updateTable('projects')
    .set({ expires_at: 0 })
    .where('id', '=', id)
    .where(ownedBy(owner))
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', 0)]))
    .executeTakeFirst()
  return ended.numUpdatedRows === 1n
}

/** Deletes the project and everything that refers to it. */
export async function deleteProject(tx: Tx, id: string): Promise<void> {
  // Entries in an org's log stay. Nobody can read the others once the project is gone.
  await tx.deleteFrom('audit').where('project_id', '=', id).where('org_id', 'is', null).execute()
  await tx.deleteFrom('suspensions').where('id', '=', id).execute()
  await tx.deleteFrom('projects').where('id', '=', id).execute()
}

const ownedBy = (owner: Owner) =>
  owner.org_id === null
    ? sql<SqlBool>`account_id = ${owner.account_id}`
    : sql<SqlBool>`org_id = ${owner.org_id}`

/** The edge's read: a project or share by name, with its live deployment, and whether it or its owner is suspended. */
export const findSite = prepared((db, name: string) =>
  db
    .selectFrom('projects')
    .leftJoin('deployments', 'deployments.id', 'projects.active_deployment_id')
    .leftJoin('preview_access', 'preview_access.project_id', 'projects.id')
    .leftJoin('suspensions as own', 'own.id', 'projects.id')
    .leftJoin('suspensions as owner', join =>
      join.on(eb => eb('owner.id', '=', eb.fn.coalesce('projects.account_id', 'projects.org_id'))),
    )
    .select([
      'projects.id as project_id',
      'projects.name',
      'projects.expires_at',
      'projects.access_mode',
      'projects.access_generation',
      'projects.password_hash',
      'preview_access.mode as preview_mode',
      'preview_access.password_hash as preview_password_hash',
      'deployments.id as deployment_id',
      'deployments.kind',
      'deployments.created_at',
      'deployments.framework',
    ])
    .select(eb => [
      eb.fn.coalesce('own.status', 'owner.status').as('suspended_status'),
      eb.fn.coalesce('own.reason', 'owner.reason').as('suspended_reason'),
    ])
    .where('projects.name', '=', name),
)
