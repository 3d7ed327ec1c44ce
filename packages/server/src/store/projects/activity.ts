// When a project was last deployed or built, for lists by activity. A deployment that is deleted does not take it back.
import { sql } from 'kysely'
import type { Db } from '../store.ts'

/** Where a project stands in a list by activity. Negative, since what was last comes first. As in the indexes of projects. */
export const byActivity = sql<number>`-coalesce(projects.active_at, projects.created_at)`

/**
 * Comes before the row of the deployment or build is inserted. That row locks its project on PostgreSQL, though less than this
 * does, and a rename that waits between the two would be waited for.
 */
export async function noteActivity(db: Db, projectId: string, at: number): Promise<void> {
  await db
    .updateTable('projects')
    .set({ active_at: at })
    .where('id', '=', projectId)
    .where(sql<boolean>`coalesce(active_at, created_at) < ${at}`)
    .execute()
}

/** Makes up for deployments and builds that nobody has noted: those of an archive, and those of an older svcd on another node. */
export async function noteNewest(db: Db, projectId: string): Promise<void> {
  const { rows } = await sql<{ at: number | null }>`select max(at) as at from (
    select max(created_at) as at from deployments where project_id = ${projectId}
    union all select max(created_at) from builds where project_id = ${projectId}) as moves`.execute(db)
  const at = rows[0]?.at
  if (at != null) await noteActivity(db, projectId, Number(at))
}
