// Who may see the previews of a project, where that differs from its site.
import type { Db, Tx } from '../store.ts'
import type { PreviewAccessRow } from '../tables.ts'

/** `undefined` if previews have the access of the site. */
export const findPreviewAccess = (db: Db, projectId: string): Promise<PreviewAccessRow | undefined> =>
  db.selectFrom('preview_access').selectAll().where('project_id', '=', projectId).executeTakeFirst()

export async function savePreviewAccess(tx: Tx, row: PreviewAccessRow): Promise<void> {
  const { project_id, ...access } = row
  await tx
    .insertInto('preview_access')
    .values(row)
    .onConflict(c => c.column('project_id').doUpdateSet(access))
    .execute()
}

export async function deletePreviewAccess(tx: Tx, projectId: string): Promise<void> {
  await tx.deleteFrom('preview_access').where('project_id', '=', projectId).execute()
}
