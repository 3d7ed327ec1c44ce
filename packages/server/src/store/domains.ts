// Custom domains: which project they show, and of which branch.
import { prepared } from './prepared.ts'
import type { Db, Tx } from './store.ts'
import type { DomainRow } from './tables.ts'

/** False where it is attached already, to whichever project. */
export async function insertDomain(tx: Tx, row: DomainRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('domains')
    .values(row)
    .onConflict(c => c.column('domain').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export const findDomain = (db: Db, domain: string): Promise<DomainRow | undefined> =>
  db.selectFrom('domains').selectAll().where('domain', '=', domain).executeTakeFirst()

export const listDomains = (db: Db, projectId: string): Promise<DomainRow[]> =>
  db.selectFrom('domains').selectAll().where('project_id', '=', projectId).orderBy('domain').execute()

export async function setBranch(
  tx: Tx,
  domain: string,
  to: Pick<DomainRow, 'branch' | 'deployment_id'>,
): Promise<void> {
  await tx.updateTable('domains').set(to).where('domain', '=', domain).execute()
}

/** A new deployment of a branch goes to the domains that track it; answers which. */
export async function pinToDomains(
  tx: Tx,
  projectId: string,
  branch: string,
  deploymentId: string,
): Promise<string[]> {
  const rows = await tx
    .updateTable('domains')
    .set({ deployment_id: deploymentId })
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .returning('domain')
    .execute()
  return rows.map(row => row.domain)
}

/** Whether a domain shows exactly this deployment. */
export async function isPinned(tx: Tx, deploymentId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('domains')
    .select('domain')
    .where('deployment_id', '=', deploymentId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteDomain(tx: Tx, projectId: string, domain: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('domains')
    .where('domain', '=', domain)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return deleted.numDeletedRows === 1n
}

/** Answers which they were. */
export async function deleteDomainsOf(tx: Tx, projectId: string): Promise<string[]> {
  const rows = await tx
    .deleteFrom('domains')
    .where('project_id', '=', projectId)
    .returning('domain')
    .execute()
  return rows.map(row => row.domain)
}

/** All domains of an owner's projects, which count against its plan. */
export async function countDomains(
  db: Db,
  owner: { accountId: string } | { orgId: string },
): Promise<number> {
  const [column, id] =
    'orgId' in owner
      ? (['projects.org_id', owner.orgId] as const)
      : (['projects.account_id', owner.accountId] as const)
  const row = await db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** The edge's read: what a custom domain shows. */
export const findDomainTarget = prepared((db, domain: string) =>
  db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .select(['projects.name as project', 'domains.deployment_id'])
    .where('domains.domain', '=', domain),
)
