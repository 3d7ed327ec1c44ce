// Settings for nodes that are to join, each sealed with a code that works once.
import type { Kysely } from 'kysely'

export async function nodeInvites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('node_invites')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
}
