// What is suspended: projects, and accounts with all of their personal projects. The operator does that, or the deletion of an
// account.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { SuspensionRow } from '../tables.ts'

export async function saveSuspension(tx: Tx, row: SuspensionRow): Promise<void> {
  const { kind, status, reason, created_at } = row
  await tx
    .insertInto('suspensions')
    .values(row)
    .onConflict(c => c.column('id').doUpdateSet({ kind, status, reason, created_at }))
    .execute()
}

/** A suspension by the operator stays as it is. */
export async function suspendForDeletion(
  tx: Tx,
  ids: readonly string[],
  row: Omit<SuspensionRow, 'id' | 'kind'>,
): Promise<void> {
  const rows = ids.map(id => ({ ...row, id, kind: 'deletion' as const }))
  await tx
    .insertInto('suspensions')
    .values(rows)
    .onConflict(c => c.column('id').doNothing())
    .execute()
}

export async function endDeletionSuspensions(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('suspensions').where('id', 'in', ids).where('kind', '=', 'deletion').execute()
}

/** Returns false if the operator did not suspend it. */
export async function deleteSuspension(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('suspensions')
    .where('id', '=', id)
    .where('kind', '<>', 'deletion')
    .executeTakeFirst()
  return deleted.numDeletedRows > 0n
}

/** That of a project itself comes before that of its owner. */
export const suspensionsOf = prepared((db, projectId: string) =>
  db
    .selectFrom('projects')
    .innerJoin('suspensions', join =>
      join.on(eb =>
        eb.or([
          eb('suspensions.id', '=', eb.ref('projects.id')),
          eb('suspensions.id', '=', eb.ref('projects.account_id')),
          eb('suspensions.id', '=', eb.ref('projects.org_id')),
        ]),
      ),
    )
    .selectAll('suspensions')
    .where('projects.id', '=', projectId)
    .orderBy('suspensions.kind', 'desc'),
)

/** Of an account or project by its id. */
export const findSuspension = prepared((db, id: string) =>
  db.selectFrom('suspensions').selectAll().where('id', '=', id),
)

export async function listSuspensions(db: Db, page: PageRequest) {
  const rows = await db
    .selectFrom('suspensions')
    .leftJoin('projects', 'projects.id', 'suspensions.id')
    .leftJoin('accounts', 'accounts.id', 'suspensions.id')
    .selectAll('suspensions')
    .select(eb => eb.fn.coalesce('projects.name', 'accounts.login').as('name'))
    .where('suspensions.kind', '<>', 'deletion')
    .where(olderThan('suspensions', page))
    .orderBy('suspensions.created_at', 'desc')
    .orderBy('suspensions.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** A project or a temporary share. */
export const findAnyProject = (db: Db, name: string) =>
  db.selectFrom('projects').select(['id', 'name', 'org_id']).where('name', '=', name).executeTakeFirst()

/** The projects and temporary shares of accounts and orgs. */
export const projectsOwnedBy = (db: Db, owners: readonly string[]) =>
  db
    .selectFrom('projects')
    .select(['id', 'name', 'org_id'])
    .where(eb => eb.or([eb('account_id', 'in', owners), eb('org_id', 'in', owners)]))
    .orderBy('id')
    .execute()
