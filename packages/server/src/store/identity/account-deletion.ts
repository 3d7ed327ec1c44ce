// The queries that delete an account: what it owns, and what is left of it elsewhere.
import { sql } from 'kysely'
import { abandonRepositories } from '../builds/repositories.ts'
import { deletedAtOnce } from '../in-batches.ts'
import type { Db, Tx } from '../store.ts'
import type { AccountRow, ProjectRow } from '../tables.ts'

/** Stands in the logs of others for the login of a deleted account. No login has parentheses. */
const deletedActor = '(deleted account)'

/** Accounts whose grace time is over, the longest first. */
export const accountsToDelete = (db: Db, now: number, limit: number): Promise<AccountRow[]> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('delete_at', '<=', now)
    .orderBy('delete_at')
    .limit(limit)
    .execute()

export interface OwnedOrg {
  id: string
  name: string
  members: number
}

/** The orgs that the account is a member of, with the number of their members. */
export async function orgsOf(db: Db, accountId: string): Promise<OwnedOrg[]> {
  const rows = await db
    .selectFrom('members as own')
    .innerJoin('orgs', 'orgs.id', 'own.org_id')
    .innerJoin('members', 'members.org_id', 'orgs.id')
    .select(eb => ['orgs.id', 'orgs.name', eb.fn.countAll().as('members')])
    .where('own.account_id', '=', accountId)
    .groupBy(['orgs.id', 'orgs.name'])
    .orderBy('orgs.id')
    .execute()
  return rows.map(row => ({ ...row, members: Number(row.members) }))
}

/** Some of the projects and shares of accounts and orgs, also those whose deletion has begun. */
export const someProjectsOf = (db: Db, owners: readonly string[], limit: number): Promise<ProjectRow[]> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where(eb => eb.or([eb('account_id', 'in', owners), eb('org_id', 'in', owners)]))
    .orderBy('id')
    .limit(limit)
    .execute()

/** The account's own tokens. Those of orgs stay. */
export async function revokeOwnTokens(tx: Tx, accountId: string, at: number): Promise<void> {
  await tx
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('org_id', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Tables whose rows belong to an account or org and do not refer to its row. Payments and invoices must be kept. */
const ownedTables = [
  'subscriptions',
  'billing_profiles',
  'billing_customers',
  'billing_mails',
  'deleted_usage',
  'ai_usage',
  'ai_months',
  'mail_recipients',
  'owner_limits',
] as const

export async function deleteOwnedRows(tx: Tx, ownerId: string): Promise<void> {
  for (const table of ownedTables) await tx.deleteFrom(table).where('owner_id', '=', ownerId).execute()
  await tx.deleteFrom('suspensions').where('id', '=', ownerId).execute()
}

/** The tokens that the account created for its orgs keep working: another owner of each org has them from now on. */
export async function handOverOrgTokens(tx: Tx, accountId: string): Promise<void> {
  await sql`update tokens set account_id = (
      select members.account_id from members
      where members.org_id = tokens.org_id and members.role = 'owner' and members.account_id <> ${accountId}
      order by members.joined_at, members.account_id limit 1)
    where account_id = ${accountId} and org_id in (
      select org_id from members where role = 'owner' and account_id <> ${accountId})`.execute(tx)
}

/** Everything that refers to the account goes with it, or forgets it. Its own audit log does not refer to it. */
export async function deleteAccount(tx: Tx, accountId: string): Promise<void> {
  await abandonRepositories(tx, { accountId })
  await tx.deleteFrom('audit').where('account_id', '=', accountId).where('org_id', 'is', null).execute()
  await tx.deleteFrom('accounts').where('id', '=', accountId).execute()
}

/**
 * Takes the login and the addresses out of the logs of others, some rows at a time. `after` is where to go on; the end is
 * `undefined`.
 */
export async function forgetInAudit(db: Db, login: string, after: string): Promise<string | undefined> {
  const last = await db
    .selectFrom('audit')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .offset(deletedAtOnce - 1)
    .executeTakeFirst()
  const portion = db
    .updateTable('audit')
    .where('id', '>', after)
    .$if(last !== undefined, query => query.where('id', '<=', last!.id))
  await portion.set({ actor: deletedActor, ip: '' }).where('actor', '=', login).execute()
  await portion
    .set({ target: deletedActor })
    .where('target', '=', login)
    .where(eb => eb.or([eb('action', 'like', 'member.%'), eb('action', 'like', 'account.%')]))
    .execute()
  return last?.id
}
