// Repositories of GitHub that projects build from, by the id that stays when they are renamed.
import type { Db, Tx } from '../../store.ts'
import type { RepositoryRow } from '../../tables.ts'

export const findGitHubRepository = (db: Db, githubId: number): Promise<RepositoryRow | undefined> =>
  db.selectFrom('repositories').selectAll().where('github_id', '=', githubId).executeTakeFirst()

/** A new name, or another installation that covers the repository. */
export async function updateGitHubRepository(
  tx: Tx,
  id: string,
  { name, installationId }: { name: string; installationId?: number | undefined },
): Promise<void> {
  await tx.updateTable('repositories').set({ name }).where('id', '=', id).execute()
  await tx
    .updateTable('project_repos')
    .set({ repo: name, ...(installationId !== undefined && { installation_id: installationId }) })
    .where('repository_id', '=', id)
    .execute()
}
