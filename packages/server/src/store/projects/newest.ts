import type { Db } from '../store.ts'

/** The ids of the newest row of each project, for a query. One search of the index for each project. */
export const newestIds = (db: Db, table: 'builds' | 'deployments', projectIds: readonly string[]) =>
  db
    .selectFrom('projects')
    .where('projects.id', 'in', projectIds)
    .select(project =>
      project
        .selectFrom(db.dynamic.table(table).as('newest'))
        .select('newest.id')
        .whereRef('newest.project_id', '=', 'projects.id')
        .orderBy('newest.created_at', 'desc')
        .orderBy('newest.id', 'desc')
        .limit(1)
        .as('id'),
    )
