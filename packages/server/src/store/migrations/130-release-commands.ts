// The command that runs once before a deployment of a server goes live, and when it had succeeded.
import type { Kysely } from 'kysely'

export async function releaseCommands(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('release_command', 'text').execute()
  await db.schema.alterTable('deployments').addColumn('released_at', 'bigint').execute()
}
