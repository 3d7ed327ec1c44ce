// Share links of protected previews.
import { stored } from '../deployments/stored-totals.ts'
import { prepared } from '../prepared.ts'
import type { Db, Tx } from '../store.ts'
import type { PreviewLinkRow } from '../tables.ts'

export type PreviewLinkWithLogin = PreviewLinkRow & { created_by_login: string | null }

export async function insertPreviewLink(tx: Tx, row: PreviewLinkRow): Promise<void> {
  await tx.insertInto('preview_links').values(row).execute()
}

/** Those that have not expired, newest first. */
export const listPreviewLinks = (db: Db, projectId: string, now: number): Promise<PreviewLinkWithLogin[]> =>
  db
    .selectFrom('preview_links')
    .leftJoin('accounts', 'accounts.id', 'preview_links.created_by')
    .selectAll('preview_links')
    .select('accounts.login as created_by_login')
    .where('project_id', '=', projectId)
    .where('expires_at', '>', now)
    .orderBy('preview_links.created_at', 'desc')
    .orderBy('preview_links.id', 'desc')
    .execute()

/** The links of one preview, for the edge. */
export const findPreviewLinks = prepared((db, projectId: string, preview: string) =>
  db
    .selectFrom('preview_links')
    .select(['id', 'secret_hash', 'expires_at'])
    .where('project_id', '=', projectId)
    .where('preview', '=', preview),
)

/** Returns what it deleted. `undefined` if the project has no such link. */
export const deletePreviewLink = (
  tx: Tx,
  projectId: string,
  id: string,
): Promise<PreviewLinkRow | undefined> =>
  tx
    .deleteFrom('preview_links')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()

export async function deleteExpiredPreviewLinks(db: Db, before: number): Promise<void> {
  await db.deleteFrom('preview_links').where('expires_at', '<', before).execute()
}

/** The slug in the URL of a branch that has a deployment. */
export async function findBranchSlug(db: Db, projectId: string, branch: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('deployments')
    .select('branch_slug')
    .where('project_id', '=', projectId)
    .where('git_branch', '=', branch)
    .where('branch_slug', 'is not', null)
    .where('status', 'in', stored)
    .limit(1)
    .executeTakeFirst()
  return row?.branch_slug ?? undefined
}
