// Custom domains: which project they show, and of which branch.
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { DomainRow, NewDomainRow } from '../tables.ts'

const plain = { redirect_to: null, is_primary: 0 }

/** Returns false if it is attached already, to whichever project. */
export async function insertDomain(tx: Tx, row: NewDomainRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('domains')
    .values({ ...row, ...plain })
    .onConflict(c => c.column('domain').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function primaryDomain(db: Db, projectId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('domains')
    .select('domain')
    .where('project_id', '=', projectId)
    .where('is_primary', '=', 1)
    .executeTakeFirst()
  return row?.domain
}

export const findDomain = (db: Db, domain: string): Promise<DomainRow | undefined> =>
  db.selectFrom('domains').selectAll().where('domain', '=', domain).executeTakeFirst()

/** A domain with the project that holds it, and whose that is. */
export type DomainHolder = DomainRow & {
  project_name: string
  account_id: string | null
  org_id: string | null
}

const withHolder = (db: Db) =>
  db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .selectAll('domains')
    .select(['projects.name as project_name', 'projects.account_id', 'projects.org_id'])

export const findHolder = (db: Db, domain: string): Promise<DomainHolder | undefined> =>
  withHolder(db).where('domains.domain', '=', domain).executeTakeFirst()

/** Gives the domain to another project. Returns false if `from` does not hold it any more. */
export async function moveDomain(tx: Tx, from: string, { domain, ...to }: NewDomainRow): Promise<boolean> {
  const moved = await tx
    .updateTable('domains')
    .set({ ...to, ...plain })
    .where('domain', '=', domain)
    .where('project_id', '=', from)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}

/** Returns false if it is verified already, or another project's by now. */
export async function setVerified(
  tx: Tx,
  { domain, project_id }: Pick<DomainRow, 'domain' | 'project_id'>,
  at: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('domains')
    .set({ verified_at: at, next_look_at: null })
    .where('domain', '=', domain)
    .where('project_id', '=', project_id)
    .where('verified_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Domains that wait for proof and are to be looked at, the longest waiting first. */
export const dueProofChecks = (db: Db, now: number, limit: number): Promise<DomainHolder[]> =>
  withHolder(db)
    .where('domains.verified_at', 'is', null)
    .where('domains.next_look_at', '<=', now)
    .orderBy('domains.next_look_at')
    .limit(limit)
    .execute()

/** A compare-and-swap: only one caller gets the check. */
export async function claimProofCheck(db: Db, row: DomainRow, next: number): Promise<boolean> {
  const updated = await db
    .updateTable('domains')
    .set({ next_look_at: next })
    .where('domain', '=', row.domain)
    .where('project_id', '=', row.project_id)
    .where('next_look_at', '=', row.next_look_at)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export const listDomains = (db: Db, projectId: string): Promise<DomainRow[]> =>
  db.selectFrom('domains').selectAll().where('project_id', '=', projectId).orderBy('domain').execute()

export async function setBranch(
  tx: Tx,
  domain: string,
  to: Pick<DomainRow, 'branch' | 'deployment_id'>,
): Promise<void> {
  await tx.updateTable('domains').set(to).where('domain', '=', domain).execute()
}

export async function setRedirect(tx: Tx, domain: string, redirectTo: string | null): Promise<void> {
  await tx.updateTable('domains').set({ redirect_to: redirectTo }).where('domain', '=', domain).execute()
}

/** Ends the redirects to a domain. Returns the domains that redirected to it. */
export async function endRedirectsTo(tx: Tx, domain: string): Promise<string[]> {
  const rows = await tx
    .updateTable('domains')
    .set({ redirect_to: null })
    .where('redirect_to', '=', domain)
    .returning('domain')
    .execute()
  return rows.map(row => row.domain)
}

/** `undefined` leaves the project without a primary domain. */
export async function setPrimary(tx: Tx, projectId: string, domain: string | undefined): Promise<void> {
  await tx
    .updateTable('domains')
    .set({ is_primary: 0 })
    .where('project_id', '=', projectId)
    .where('is_primary', '=', 1)
    .execute()
  if (domain !== undefined)
    await tx
      .updateTable('domains')
      .set({ is_primary: 1 })
      .where('project_id', '=', projectId)
      .where('domain', '=', domain)
      .execute()
}

/** Shows a new deployment of a branch at the domains that track it. Returns these domains. */
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

/** Makes the domains of a branch show production until the branch has a new deployment. Returns these domains. */
export async function unpinDomains(tx: Tx, projectId: string, branch: string): Promise<string[]> {
  const rows = await tx
    .updateTable('domains')
    .set({ deployment_id: null })
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
    .returning('domain')
    .execute()
  return rows.map(row => row.domain)
}

export async function domainsTracking(db: Db, projectId: string, branch: string): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .select('domain')
    .where('project_id', '=', projectId)
    .where('branch', '=', branch)
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

/** Returns which they were. */
export const deleteDomainsOf = (
  tx: Tx,
  projectId: string,
): Promise<Pick<DomainRow, 'domain' | 'verified_at'>[]> =>
  tx.deleteFrom('domains').where('project_id', '=', projectId).returning(['domain', 'verified_at']).execute()

/** All domains of an owner's projects, which count against its plan. */
export async function countDomainsOf(db: Db, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('domains')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

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

/**
 * The edge's read: what a custom domain shows, or the domain that it redirects to. A redirect counts only while its target is a
 * verified domain of the same project that does not redirect itself, so that no request goes round in circles.
 */
export const findDomainTarget = prepared((db, domain: string) =>
  db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .leftJoin('domains as target', join =>
      join
        .onRef('target.domain', '=', 'domains.redirect_to')
        .onRef('target.project_id', '=', 'domains.project_id')
        .on('target.verified_at', 'is not', null)
        .on('target.redirect_to', 'is', null),
    )
    .select([
      'projects.name as project',
      'projects.id as project_id',
      'domains.deployment_id',
      'target.domain as redirect_to',
    ])
    .where('domains.domain', '=', domain)
    .where('domains.verified_at', 'is not', null),
)
