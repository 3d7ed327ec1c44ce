// The builds of all projects that the operator looks after: those that wait, run, or failed lately.
import { sql } from 'kysely'
import type { Db } from '../store.ts'

const shownAtMost = 100

const withProject = (db: Db) =>
  db
    .selectFrom('builds')
    .innerJoin('projects', 'projects.id', 'builds.project_id')
    .select(['builds.id', 'builds.status', 'builds.branch', 'builds.error', 'builds.node_id'])
    .select(['builds.created_at', 'builds.started_at', 'builds.finished_at'])
    .select(['projects.id as project_id', 'projects.name as project', 'projects.org_id'])

/** Running builds first, then those that wait, oldest first, then the failed ones. */
export const listPlatformBuilds = (db: Db, failedSince: number) =>
  withProject(db)
    .where(eb =>
      eb.or([
        eb('builds.status', 'in', ['queued', 'building']),
        eb.and([eb('builds.status', '=', 'failed'), eb('builds.created_at', '>', failedSince)]),
      ]),
    )
    .orderBy(sql`case builds.status when 'building' then 0 when 'queued' then 1 else 2 end`)
    .orderBy('builds.created_at')
    .limit(shownAtMost)
    .execute()

export const findPlatformBuild = (db: Db, id: string) =>
  withProject(db).where('builds.id', '=', id).executeTakeFirst()
