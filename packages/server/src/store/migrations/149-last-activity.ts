// When each project was last deployed or built, and the orders of the list of projects as indexes. Without them, each page by
// activity or by name read all projects of the owner.
import { type Kysely, sql } from 'kysely'

const newest = sql`(select max(at) from (
  select max(created_at) as at from deployments where project_id = projects.id
  union all select max(created_at) from builds where project_id = projects.id) as moves)`

export async function lastActivity(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('projects').addColumn('active_at', 'bigint').execute()
  await sql`update projects set active_at = ${newest} where ${newest} > created_at`.execute(db)
  for (const owner of ['account', 'org']) {
    const column = sql.ref(`${owner}_id`)
    await sql`create index ${sql.ref(`projects_by_${owner}_activity`)}
      on projects (${column}, (-coalesce(active_at, created_at)), id)`.execute(db)
    await sql`create index ${sql.ref(`projects_by_${owner}_name`)} on projects (${column}, name, id)`.execute(
      db,
    )
  }
}
