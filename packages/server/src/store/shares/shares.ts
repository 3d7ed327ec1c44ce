// Temporary shares: projects with an expiry, which are listed apart from all others.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db, Tx } from '../store.ts'
import type { ProjectRow } from '../tables.ts'

/** A share that has been uploaded. */
export type ShareRow = ProjectRow & { active_deployment_id: string; expires_at: number }

/** Unexpired ones of an account, those that are being uploaded too. */
export async function countShares(tx: Tx, accountId: string, now: number): Promise<number> {
  const { count } = await tx
    .selectFrom('projects')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

const uploaded = (db: Db, accountId: string, now: number) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .where('active_deployment_id', 'is not', null)
    .$narrowType<{ active_deployment_id: string; expires_at: number }>()

export const findShare = (
  db: Db,
  accountId: string,
  name: string,
  now: number,
): Promise<ShareRow | undefined> => uploaded(db, accountId, now).where('name', '=', name).executeTakeFirst()

export async function listShares(db: Db, accountId: string, now: number, page: PageRequest) {
  const rows: ShareRow[] = await uploaded(db, accountId, now)
    .where(olderThan('projects', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

/** Shares that are over, or whose upload began before `startedBefore` and never ended. */
export const endedShares = (
  db: Db,
  now: number,
  startedBefore: number,
  atMost: number,
): Promise<ProjectRow[]> =>
  db
    .selectFrom('projects')
    .selectAll()
    .where('expires_at', 'is not', null)
    .where(eb =>
      eb.or([
        eb('expires_at', '<=', now),
        eb.and([eb('active_deployment_id', 'is', null), eb('created_at', '<', startedBefore)]),
      ]),
    )
    // Nodes that sweep at the same time take the rows in the same order and do not lock each other out.
    .orderBy('expires_at')
    .orderBy('id')
    .limit(atMost)
    .execute()
