// What requests of the AI gateway that are under way may cost, so that all nodes count them.
import type { Kysely } from 'kysely'

export async function aiReservations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('ai_reservations')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('cost', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema
    .createIndex('ai_reservations_by_owner')
    .on('ai_reservations')
    .columns(['owner_id', 'expires_at'])
    .execute()
}
