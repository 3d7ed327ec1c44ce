// When a deployment was done, and a quick way from a deployment to its build.
import { type Kysely, sql } from 'kysely'

export async function deploymentTimes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('finished_at', 'bigint').execute()
  await sql`create index builds_by_deployment on builds (deployment_id) where deployment_id is not null`.execute(
    db,
  )
}
