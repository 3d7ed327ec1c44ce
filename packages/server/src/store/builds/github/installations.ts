// Installations of the GitHub App, as far as the platform has heard of them.
import type { Db, Tx } from '../../store.ts'
import type { GitHubInstallationRow } from '../../tables.ts'

export async function saveInstallation(db: Db, row: GitHubInstallationRow): Promise<void> {
  await db
    .insertInto('github_installations')
    .values(row)
    .onConflict(c => c.column('id').doUpdateSet(row))
    .execute()
}

export async function deleteInstallation(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('github_installations').where('id', '=', id).execute()
  await tx.deleteFrom('shared_installations').where('installation_id', '=', id).execute()
}

export async function installationsAmong(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, GitHubInstallationRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('github_installations').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map(row => [row.id, row]))
}
