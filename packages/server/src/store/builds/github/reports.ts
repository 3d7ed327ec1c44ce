// What GitHub is still to be told: builds whose status it does not know, and pull requests whose comment is stale.
import type { Db, Tx } from '../../store.ts'
import type { GitHubPullRow, GitHubReportRow } from '../../tables.ts'

export async function insertReport(tx: Tx, row: GitHubReportRow): Promise<void> {
  await tx.insertInto('github_reports').values(row).execute()
}

/** Takes a build whose status GitHub does not know; a compare and swap, so that one worker gets it. */
export async function claimReport(db: Db, now: number, until: number): Promise<GitHubReportRow | undefined> {
  const due = await db
    .selectFrom('github_reports')
    .innerJoin('builds', 'builds.id', 'github_reports.build_id')
    .selectAll('github_reports')
    .whereRef('builds.status', '<>', 'github_reports.told')
    .where('github_reports.next_at', '<=', now)
    .orderBy('github_reports.next_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return undefined
  const claim = { next_at: until, attempts: due.attempts + 1 }
  const claimed = await db
    .updateTable('github_reports')
    .set(claim)
    .where('build_id', '=', due.build_id)
    .where('attempts', '=', due.attempts)
    .where('next_at', '=', due.next_at)
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n ? { ...due, ...claim } : undefined
}

export async function noteDeploymentAtGitHub(db: Db, buildId: string, deploymentId: number): Promise<void> {
  await db
    .updateTable('github_reports')
    .set({ deployment_id: deploymentId })
    .where('build_id', '=', buildId)
    .execute()
}

export async function noteTold(db: Db, buildId: string, told: string, nextAt: number): Promise<void> {
  await db
    .updateTable('github_reports')
    .set({ told, next_at: nextAt, attempts: 0 })
    .where('build_id', '=', buildId)
    .execute()
}

export async function retryReport(db: Db, buildId: string, nextAt: number): Promise<void> {
  await db.updateTable('github_reports').set({ next_at: nextAt }).where('build_id', '=', buildId).execute()
}

/** An open pull request, with its comment to be written. What is known of its comment stays. */
export async function savePull(
  tx: Tx,
  pull: Pick<GitHubPullRow, 'repository_id' | 'number' | 'branch' | 'is_open'>,
): Promise<void> {
  const state = { branch: pull.branch, is_open: pull.is_open, is_stale: pull.is_open }
  await tx
    .insertInto('github_pulls')
    .values({ ...pull, ...state, comment_id: null, next_at: 0, attempts: 0 })
    .onConflict(c => c.columns(['repository_id', 'number']).doUpdateSet({ ...state, attempts: 0 }))
    .execute()
}

/** Comments of open pull requests of the branch are written anew. */
export async function markPullsStale(db: Db, repositoryId: string, branch: string): Promise<void> {
  await db
    .updateTable('github_pulls')
    .set({ is_stale: 1 })
    .where('repository_id', '=', repositoryId)
    .where('branch', '=', branch)
    .where('is_open', '=', 1)
    .execute()
}

/** Whether an open pull request still shows the branch. */
export async function hasOpenPull(db: Db, repositoryId: string, branch: string): Promise<boolean> {
  const row = await db
    .selectFrom('github_pulls')
    .select('number')
    .where('repository_id', '=', repositoryId)
    .where('branch', '=', branch)
    .where('is_open', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Takes a pull request with a stale comment. It counts as fresh from here on, so that what changes while the comment is
 * written makes it stale again. Until `until` nobody else takes it: a second writer could write a second comment.
 */
export async function claimPull(db: Db, now: number, until: number): Promise<GitHubPullRow | undefined> {
  const due = await db
    .selectFrom('github_pulls')
    .selectAll()
    .where('is_stale', '=', 1)
    .where('is_open', '=', 1)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  if (!due) return undefined
  const claim = { is_stale: 0, next_at: until, attempts: due.attempts + 1 }
  const claimed = await db
    .updateTable('github_pulls')
    .set(claim)
    .where('repository_id', '=', due.repository_id)
    .where('number', '=', due.number)
    .where('next_at', '=', due.next_at)
    .where('is_stale', '=', 1)
    .executeTakeFirst()
  return claimed.numUpdatedRows === 1n ? { ...due, ...claim } : undefined
}

export async function updatePull(
  db: Db,
  { repository_id, number }: Pick<GitHubPullRow, 'repository_id' | 'number'>,
  changes: Partial<Pick<GitHubPullRow, 'comment_id' | 'next_at' | 'is_stale' | 'attempts'>>,
): Promise<void> {
  await db
    .updateTable('github_pulls')
    .set(changes)
    .where('repository_id', '=', repository_id)
    .where('number', '=', number)
    .execute()
}
