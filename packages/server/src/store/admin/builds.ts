// The builds of all projects that the operator looks after: those that wait, run, or failed lately.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db } from '../store.ts'

const withProject = (db: Db) =>
  db
    .selectFrom('builds')
    .innerJoin('projects', 'projects.id', 'builds.project_id')
    .select(['builds.id', 'builds.status', 'builds.branch', 'builds.error', 'builds.node_id'])
    .select(['builds.created_at', 'builds.started_at', 'builds.finished_at'])
    .select(['projects.id as project_id', 'projects.name as project', 'projects.org_id'])

/** Newest first. */
export async function listPlatformBuilds(db: Db, failedSince: number, page: PageRequest) {
  const rows = await withProject(db)
    .where(eb =>
      eb.or([
        eb('builds.status', 'in', ['queued', 'building']),
        eb.and([eb('builds.status', '=', 'failed'), eb('builds.created_at', '>', failedSince)]),
      ]),
    )
    .where(olderThan('builds', page))
    .orderBy('builds.created_at', 'desc')
    .orderBy('builds.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}

export const findPlatformBuild = (db: Db, id: string) =>
  withProject(db).where('builds.id', '=', id).executeTakeFirst()
