// Which account is which user of GitHub.
import type { Db, Tx } from '../store.ts'
import type { GitHubUserRow } from '../tables.ts'

export const findGitHubUser = (db: Db, githubId: number): Promise<GitHubUserRow | undefined> =>
  db.selectFrom('github_users').selectAll().where('github_id', '=', githubId).executeTakeFirst()

export const githubUserOf = (db: Db, accountId: string): Promise<GitHubUserRow | undefined> =>
  db.selectFrom('github_users').selectAll().where('account_id', '=', accountId).executeTakeFirst()

/** An account is one user of GitHub: another one replaces it. */
export async function saveGitHubUser(tx: Tx, row: GitHubUserRow): Promise<void> {
  await tx
    .insertInto('github_users')
    .values(row)
    .onConflict(c => c.column('account_id').doUpdateSet(row))
    .execute()
}

export async function deleteGitHubUser(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('github_users').where('account_id', '=', accountId).execute()
}

/** Compare and swap: false where another process has refreshed the token since it was read. */
export async function replaceUserToken(
  db: Db,
  read: GitHubUserRow,
  next: Pick<GitHubUserRow, 'sealed' | 'key_id' | 'updated_at'>,
): Promise<boolean> {
  const replaced = await db
    .updateTable('github_users')
    .set(next)
    .where('account_id', '=', read.account_id)
    .where('sealed', '=', read.sealed)
    .executeTakeFirst()
  return replaced.numUpdatedRows === 1n
}
