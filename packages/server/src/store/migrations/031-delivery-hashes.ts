// The hash of each delivery of GitHub: the id of a delivery is not signed, so an old event can come again under a new id.
import type { Kysely } from 'kysely'

export async function deliveryHashes({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('github_deliveries').addColumn('body_hash', 'text').execute()
  await schema.createIndex('github_deliveries_by_body').on('github_deliveries').column('body_hash').execute()
}
