// The image of a deployment that was built with a Dockerfile.
import type { Kysely } from 'kysely'

export async function deploymentImages(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('image', 'text').execute()
}
