// Repositories at other git hosts, with what it takes to ask there.
import type { Db, Tx } from '../store.ts'
import type { GitHostRepositoryRow } from '../tables.ts'

export const findHostRepository = (db: Db, repositoryId: string): Promise<GitHostRepositoryRow | undefined> =>
  db
    .selectFrom('git_host_repositories')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst()

export async function insertHostRepository(tx: Tx, row: GitHostRepositoryRow): Promise<void> {
  await tx.insertInto('git_host_repositories').values(row).execute()
}

/** Those that no project builds from any more. */
export const unusedHostRepositories = (db: Db, atMost: number): Promise<GitHostRepositoryRow[]> =>
  db
    .selectFrom('git_host_repositories')
    .selectAll()
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('project_repos')
            .select('project_id')
            .whereRef('project_repos.repository_id', '=', 'git_host_repositories.repository_id'),
        ),
      ),
    )
    .limit(atMost)
    .execute()
