// The deployments that a site showed before its current one.
import { prepared } from '../prepared.ts'

/** At most so many of them are used, the newest first. */
const atMost = 20

/** Those that were live in production, and were superseded after `since`. */
export const findSuperseded = prepared((db, projectId: string, since: number) =>
  db
    .selectFrom('deployments')
    .select(['id', 'kind', 'created_at', 'framework', 'superseded_at'])
    .where('project_id', '=', projectId)
    .where('status', '=', 'superseded')
    .where('superseded_at', '>', since)
    .orderBy('superseded_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost),
)

/** The newest deployments of the branch that `id` belongs to, with `id` itself. No rows if it has no branch. */
export const findNewestOfSameBranch = prepared((db, projectId: string, id: string) =>
  db
    .selectFrom('deployments')
    .select(['id', 'kind', 'created_at', 'framework', 'finished_at'])
    .where('project_id', '=', projectId)
    .where('branch_slug', '=', eb =>
      eb.selectFrom('deployments as current').select('branch_slug').where('current.id', '=', id),
    )
    .where('status', 'in', ['live', 'superseded', 'branch'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(atMost + 1),
)
