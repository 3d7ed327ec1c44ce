// Orgs and their members.
import type { Role } from '@svc/contract'
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { abandonRepositories } from '../builds/repositories.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { OrgIconRow, OrgRow } from '../tables.ts'

export type OrgWithIcon = OrgRow & { icon_hash: string | null }

/** Returns false if the name is taken. */
export async function insertOrg(tx: Tx, row: OrgRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('orgs')
    .values(row)
    .onConflict(c => c.column('name').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

const withIcon = (db: Db) =>
  db
    .selectFrom('orgs')
    .leftJoin('org_icons', 'org_icons.org_id', 'orgs.id')
    .selectAll('orgs')
    .select('org_icons.hash as icon_hash')

export const findOrg = (db: Db, name: string): Promise<OrgWithIcon | undefined> =>
  withIcon(db).where('orgs.name', '=', name).executeTakeFirst()

export const findOrgById = (db: Db, id: string): Promise<OrgRow | undefined> =>
  db.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirst()

export async function listOrgs(db: Db, accountId: string, page: PageRequest) {
  const rows = await withIcon(db)
    .innerJoin('members', 'members.org_id', 'orgs.id')
    .select('members.role')
    .where('members.account_id', '=', accountId)
    .where(olderThan('orgs', page))
    .orderBy('orgs.created_at', 'desc')
    .orderBy('orgs.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/**
 * Takes the org's row until the transaction ends, so that changes of one org take turns. Returns false if it is gone.
 */
export async function lockOrg(tx: Tx, orgId: string): Promise<boolean> {
  const updated = await tx
    .updateTable('orgs')
    .set(eb => ({ name: eb.ref('name') }))
    .where('id', '=', orgId)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function renameOrg(tx: Tx, orgId: string, displayName: string | null): Promise<void> {
  await tx.updateTable('orgs').set({ display_name: displayName }).where('id', '=', orgId).execute()
}

export async function deleteOrg(tx: Tx, orgId: string): Promise<void> {
  await abandonRepositories(tx, { orgId })
  await tx.deleteFrom('orgs').where('id', '=', orgId).execute()
}

export async function countProjects(
  db: Db,
  owner: { accountId: string } | { orgId: string },
): Promise<number> {
  const [column, id] =
    'orgId' in owner ? (['org_id', owner.orgId] as const) : (['account_id', owner.accountId] as const)
  const row = await db
    .selectFrom('projects')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .where('expires_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Orgs that the account owns, which count against its plan. */
export async function countOwnedOrgs(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('members')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function ownedOrgNames(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('orgs', 'orgs.id', 'members.org_id')
    .select('orgs.name')
    .where('members.account_id', '=', accountId)
    .where('members.role', '=', 'owner')
    .orderBy('orgs.name')
    .limit(1_000)
    .execute()
  return rows.map(({ name }) => name)
}

export async function ownedOrgs(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .select('org_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .execute()
  return rows.map(row => row.org_id)
}

export async function roleIn(db: Db, orgId: string, accountId: string): Promise<Role | undefined> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('org_id', '=', orgId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.role
}

/** Returns false if the account is a member already. */
export async function insertMember(
  tx: Tx,
  member: { org_id: string; account_id: string; role: Role; joined_at: number },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('members')
    .values(member)
    .onConflict(c => c.columns(['org_id', 'account_id']).doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export const listMembers = (db: Db, orgId: string) =>
  db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.login', 'members.account_id', 'members.role', 'members.joined_at'])
    .where('org_id', '=', orgId)
    .orderBy('members.joined_at')
    .orderBy('accounts.login')
    .execute()

export const findMember = (db: Db, orgId: string, login: string) =>
  db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.login', 'members.account_id', 'members.role', 'members.joined_at'])
    .where('org_id', '=', orgId)
    .where('accounts.login', '=', login)
    .executeTakeFirst()

/** Whether the org has another owner than this one, whose account is not disabled and stays. */
export async function hasOtherOwner(tx: Tx, orgId: string, accountId: string): Promise<boolean> {
  const other = await tx
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select('members.account_id')
    .where('members.org_id', '=', orgId)
    .where('members.role', '=', 'owner')
    .where('members.account_id', '<>', accountId)
    .where('accounts.disabled_at', 'is', null)
    .where('accounts.delete_at', 'is', null)
    .executeTakeFirst()
  return other !== undefined
}

export async function setRole(tx: Tx, orgId: string, accountId: string, role: Role): Promise<void> {
  await tx
    .updateTable('members')
    .set({ role })
    .where('org_id', '=', orgId)
    .where('account_id', '=', accountId)
    .execute()
}

/** What the member shared with the org leaves with them. */
export async function deleteMember(tx: Tx, orgId: string, accountId: string): Promise<void> {
  await tx
    .deleteFrom('shared_installations')
    .where('org_id', '=', orgId)
    .where('shared_by', '=', accountId)
    .execute()
  await tx.deleteFrom('members').where('org_id', '=', orgId).where('account_id', '=', accountId).execute()
}

export const findIcon = (db: Db, orgName: string): Promise<OrgIconRow | undefined> =>
  db
    .selectFrom('org_icons')
    .innerJoin('orgs', 'orgs.id', 'org_icons.org_id')
    .selectAll('org_icons')
    .where('orgs.name', '=', orgName)
    .executeTakeFirst()

export async function putIcon(tx: Tx, row: OrgIconRow): Promise<void> {
  const { org_id: _, ...content } = row
  await tx
    .insertInto('org_icons')
    .values(row)
    .onConflict(c => c.column('org_id').doUpdateSet(content))
    .execute()
}

export async function deleteIcon(tx: Tx, orgId: string): Promise<void> {
  await tx.deleteFrom('org_icons').where('org_id', '=', orgId).execute()
}
