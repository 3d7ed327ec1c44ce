// Projects: who owns them and which deployment is live.
import { type PageRequest, pageOf } from '../lib/page.ts'
import { olderThan } from './pages.ts'
import { prepared } from './prepared.ts'
import type { Db, Tx } from './store.ts'
import type { ProjectRow } from './tables.ts'

export type ProjectWithOrg = ProjectRow & { org_name: string | null }

/** False where the name is taken. */
export async function insertProject(tx: Tx, row: ProjectRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('projects')
    .values(row)
    .onConflict(c => c.column('name').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
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

export async function listProjects(
  db: Db,
  owner: { accountId: string } | { orgId: string },
  page: PageRequest,
) {
  const [column, id] =
    'orgId' in owner
      ? (['projects.org_id', owner.orgId] as const)
      : (['projects.account_id', owner.accountId] as const)
  const rows = await withOrg(db)
    .where(column, '=', id)
    .where('projects.expires_at', 'is', null)
    .where(olderThan('projects', page))
    .orderBy('projects.created_at', 'desc')
    .orderBy('projects.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** The edge's read: a project or share by name, with its live deployment. */
export const findSite = prepared((db, name: string) =>
  db
    .selectFrom('projects')
    .leftJoin('deployments', 'deployments.id', 'projects.active_deployment_id')
    .select([
      'projects.id as project_id',
      'projects.name',
      'projects.expires_at',
      'deployments.id as deployment_id',
      'deployments.kind',
      'deployments.created_at',
    ])
    .where('projects.name', '=', name),
)
