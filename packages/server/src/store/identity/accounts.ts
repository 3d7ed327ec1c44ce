// Accounts and their tokens.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import { prepared } from '../prepared.ts'
import { cachedQuery } from '../query-cache.ts'
import type { Db, Tx } from '../store.ts'
import type { AccountRow, TokenRow } from '../tables.ts'

/** The number of the next account. The row lock serializes concurrent sign-ups. */
export async function nextForgeId(tx: Tx): Promise<number> {
  const row = await tx
    .updateTable('counters')
    .set(eb => ({ value: eb('value', '+', 1) }))
    .where('name', '=', 'accounts')
    .returning('value')
    .executeTakeFirstOrThrow()
  return row.value
}

/**
 * Logins and the names of orgs are owners of repositories at the same addresses, so no name may be both. Creating an org
 * locks the row that `nextForgeId` locks, so that it and sign-ups take turns.
 */
export async function lockOwnerNames(tx: Tx): Promise<void> {
  await tx
    .updateTable('counters')
    .set(eb => ({ value: eb.ref('value') }))
    .where('name', '=', 'accounts')
    .execute()
}

/** Returns false if the login is taken. */
export async function insertAccount(tx: Tx, row: AccountRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('accounts')
    .values(row)
    .onConflict(c => c.column('login').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export const findAccountByLogin = (db: Db, login: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('login', '=', login).executeTakeFirst()

export const findAccountById = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()

/** Accounts with this login or email address that have a password and an address, and may sign in. */
export const accountsToReset = (db: Db, login: string): Promise<AccountRow[]> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where(eb => eb.or([eb('login', '=', login), eb(eb.fn<string>('lower', ['email']), '=', login)]))
    .where('email', 'is not', null)
    .where('password_hash', 'is not', null)
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .limit(10)
    .execute()

export const listAccounts = (db: Db): Promise<AccountRow[]> =>
  db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute()

export async function anyAccount(db: Db): Promise<boolean> {
  return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function setPassword(db: Db, accountId: string, hash: string): Promise<void> {
  await db.updateTable('accounts').set({ password_hash: hash }).where('id', '=', accountId).execute()
}

export async function setEmail(db: Db, accountId: string, email: string): Promise<void> {
  await db.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
}

export async function insertToken(db: Db, row: TokenRow): Promise<void> {
  await db.insertInto('tokens').values(row).execute()
}

/**
 * How the hash of a token for one project is stored. Servers of versions that know no such tokens look for the bare hash. They
 * find nothing and answer 401, where they would otherwise take the token for one that reaches everything.
 */
export const scopedHash = (hash: string): string => `project:${hash}`

/** The hot path of every authenticated call: who is behind an unrevoked token, which may have expired. */
export const findByTokenHash = (db: Db, hash: string) => findByHashes(db, hash, scopedHash(hash))

const findByHashes = cachedQuery(
  prepared((db, hash: string, scoped: string) =>
    db
      .selectFrom('tokens')
      .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
      .leftJoin('orgs', 'orgs.id', 'tokens.org_id')
      .leftJoin('projects', 'projects.id', 'tokens.project_id')
      .leftJoin('github_users', 'github_users.account_id', 'accounts.id')
      .select([
        'tokens.id as token_id',
        'tokens.kind',
        'tokens.org_id',
        'tokens.last_used_at',
        'tokens.expires_at',
        'orgs.name as org_name',
        'tokens.project_id',
        'projects.name as project_name',
        'accounts.id as account_id',
        'accounts.forge_id',
        'github_users.github_id',
        'accounts.login',
        'accounts.email',
        'accounts.is_admin',
        'accounts.created_at',
        'accounts.disabled_at',
        'accounts.delete_at',
        'accounts.delete_by',
      ])
      .where('tokens.hash', 'in', [hash, scoped])
      .where('tokens.revoked_at', 'is', null),
  ),
)

/** A token with the name of the only project that it reaches. */
export type TokenWithProject = TokenRow & { project_name: string | null }

const tokensWithProject = (db: Db, page: PageRequest) =>
  db
    .selectFrom('tokens')
    .leftJoin('projects', 'projects.id', 'tokens.project_id')
    .selectAll('tokens')
    .select('projects.name as project_name')
    .where(olderThan('tokens', page))
    .orderBy('tokens.created_at', 'desc')
    .orderBy('tokens.id', 'desc')
    .limit(page.limit + 1)

/** An account's own tokens; those of orgs are listed with the org. */
export async function listTokens(db: Db, accountId: string, page: PageRequest) {
  const rows: TokenWithProject[] = await tokensWithProject(db, page)
    .where('tokens.account_id', '=', accountId)
    .where('tokens.org_id', 'is', null)
    .execute()
  return pageOf(rows, page.limit)
}

/** Returns false if there is no such unrevoked token of the account's own. */
export async function revokeToken(db: Db, accountId: string, id: string, at: number): Promise<boolean> {
  const updated = await db
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('org_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

export async function listOrgTokens(db: Db, orgId: string, page: PageRequest) {
  const rows = await tokensWithProject(db, page)
    .innerJoin('accounts', 'accounts.id', 'tokens.account_id')
    .select('accounts.login as created_by')
    .where('tokens.org_id', '=', orgId)
    .where('tokens.revoked_at', 'is', null)
    .execute()
  return pageOf(rows, page.limit)
}

/** Returns false if the org has no such unrevoked token. */
export async function revokeOrgToken(db: Db, orgId: string, id: string, at: number): Promise<boolean> {
  const updated = await db
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Never sets an earlier time, because another node may have written a later use. */
export async function setLastUsed(db: Db, ids: readonly string[], at: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ last_used_at: at })
    .where('id', 'in', ids)
    .where(eb => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
    .execute()
}

/** The account's own usable tokens but `except`: those with the label, or all others. */
export async function usableTokens(
  db: Db,
  accountId: string,
  { now, except = '' }: { now: number; except?: string | undefined },
): Promise<Pick<TokenRow, 'id' | 'label'>[]> {
  return await db
    .selectFrom('tokens')
    .select(['id', 'label'])
    .where('account_id', '=', accountId)
    .where('org_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('id', '<>', except)
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at')
    .execute()
}

export async function revokeTokens(db: Db, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
}

/** Locks the account's row until the transaction ends, so that checks against its plan are serialized. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set(eb => ({ login: eb.ref('login') }))
    .where('id', '=', accountId)
    .execute()
}

/** Revokes a token only if it has the label. */
export async function revokeLabelled(db: Db, id: string, label: string, at: number): Promise<void> {
  await db
    .updateTable('tokens')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('label', '=', label)
    .where('revoked_at', 'is', null)
    .execute()
}

/** The email addresses of the project's owner: of the account, or of the owners of the org. */
export const ownerEmails = async (db: Db, project: Parameters<typeof memberEmails>[1]): Promise<string[]> =>
  (await memberEmails(db, project)).flatMap(({ email, isOwner }) => (isOwner ? email : []))

/** The email addresses of everyone in the project: of the account, or of the members of the org. */
export async function memberEmails(
  db: Db,
  project: { account_id: string | null; org_id: string | null },
): Promise<{ email: string; isOwner: boolean }[]> {
  const rows = await (project.org_id
    ? db
        .selectFrom('members')
        .innerJoin('accounts', 'accounts.id', 'members.account_id')
        .select(['accounts.email', 'members.role'])
        .where('members.org_id', '=', project.org_id)
        .execute()
    : db.selectFrom('accounts').select('email').where('id', '=', project.account_id).execute())
  return rows.flatMap(row =>
    row.email === null ? [] : { email: row.email, isOwner: !('role' in row) || row.role === 'owner' },
  )
}
