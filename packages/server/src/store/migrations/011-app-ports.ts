// The port that an app was told to listen on, which need not be the one that it is reached by.
import type { Kysely } from 'kysely'

export async function appPorts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('app_instances').addColumn('app_port', 'integer').execute()
}
