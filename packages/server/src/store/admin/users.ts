// All accounts with what they use, for the operator.
import { sql } from 'kysely'
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { AccountRow } from '../tables.ts'

/** A pattern for `like ... escape '!'` that finds the text anywhere. */
const containing = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`

export async function listUsers(db: Db, { search, ...page }: PageRequest & { search?: string | undefined }) {
  const pattern = containing(search ?? '')
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'login', 'email', 'is_admin', 'created_at', 'disabled_at', 'delete_at', 'delete_by'])
    .$if(search !== undefined, query =>
      query.where(
        sql<boolean>`(login like ${pattern} escape '!' or lower(coalesce(email, '')) like ${pattern} escape '!')`,
      ),
    )
    .where(olderThan('accounts', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** Serializes changes of admins, so that two of them cannot remove each other at the same time. */
export async function lockAdmins(tx: Tx): Promise<void> {
  await tx
    .updateTable('counters')
    .set(eb => ({ value: eb.ref('value') }))
    .where('name', '=', 'accounts')
    .execute()
}

/** Admins that can sign in, with their addresses. */
export const enabledAdmins = (db: Db): Promise<Pick<AccountRow, 'id' | 'email'>[]> =>
  db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('is_admin', '=', 1)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .execute()

/** Admins that can sign in. */
export async function countEnabledAdmins(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('accounts')
    .select(eb => eb.fn.countAll().as('count'))
    .where('is_admin', '=', 1)
    .where('disabled_at', 'is', null)
    .where('delete_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function updateAccount(
  tx: Tx,
  id: string,
  change: Partial<Pick<AccountRow, 'is_admin' | 'disabled_at' | 'delete_at' | 'delete_by'>>,
): Promise<void> {
  await tx.updateTable('accounts').set(change).where('id', '=', id).execute()
}

/** An account with more projects is counted by itself: this takes the longer the more there are. */
export const countedProjects = 1_000

interface AccountUse {
  /** Together with `storedBytes` a lower bound if more than `countedProjects`. */
  projects: number
  orgs: number
  storedBytes: number
  lastUsedAt: number | null
  hasTotp: boolean
  passkeys: number
}

/** Part of a query of accounts. One project more than are counted says that there are more. */
const someProjects = (db: Db) =>
  db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<boolean>`projects.account_id = accounts.id`)
    // The order of the index: otherwise PostgreSQL may read all projects for an account that has none.
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .limit(countedProjects + 1)

/** What all projects of an account take, however many there are. */
export async function projectsUse(
  db: Db,
  accountId: string,
): Promise<Pick<AccountUse, 'projects' | 'storedBytes'>> {
  const row = await db
    .selectFrom('projects')
    .leftJoin('stored_totals', 'stored_totals.project_id', 'projects.id')
    .select(eb => [eb.fn.countAll().as('projects'), eb.fn.sum('stored_totals.bytes').as('bytes')])
    .where('projects.account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return { projects: Number(row.projects), storedBytes: Number(row.bytes ?? 0) }
}

/** What each of the accounts uses, by id. */
export async function usesOf(db: Db, ids: readonly string[]): Promise<Map<string, AccountUse>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts')
    .select('accounts.id')
    .select(({ selectFrom, fn }) => [
      selectFrom(someProjects(db).as('some')).select(fn.countAll().as('count')).as('projects'),
      selectFrom('members')
        .select(fn.countAll().as('count'))
        .whereRef('members.account_id', '=', 'accounts.id')
        .as('orgs'),
      selectFrom(someProjects(db).as('some'))
        .innerJoin('stored_totals', 'stored_totals.project_id', 'some.id')
        .select(eb => eb.fn.sum('stored_totals.bytes').as('bytes'))
        .as('stored_bytes'),
      selectFrom('tokens')
        .select(eb => eb.fn.max('tokens.last_used_at').as('at'))
        .whereRef('tokens.account_id', '=', 'accounts.id')
        .as('last_used_at'),
      selectFrom('totp_secrets')
        .select(fn.countAll().as('count'))
        .whereRef('totp_secrets.account_id', '=', 'accounts.id')
        .where('totp_secrets.enabled_at', 'is not', null)
        .as('totp'),
      selectFrom('passkeys')
        .select(fn.countAll().as('count'))
        .whereRef('passkeys.account_id', '=', 'accounts.id')
        .as('passkeys'),
    ])
    .where('accounts.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(row => [
      row.id,
      {
        projects: Number(row.projects),
        orgs: Number(row.orgs),
        storedBytes: Number(row.stored_bytes ?? 0),
        hasTotp: Number(row.totp) > 0,
        passkeys: Number(row.passkeys),
        lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
      },
    ]),
  )
}
