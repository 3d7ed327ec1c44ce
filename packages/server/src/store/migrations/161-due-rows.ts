// What sweeps look for at regular times, as indexes. Without them, each look read whole tables.
import { type Kysely, sql } from 'kysely'

const indexes = [
  "app_instances_by_end on app_instances (ended_at) where state = 'ended'",
  'certificates_by_question on certificates (on_demand, state, renewal_asked_at)',
  'notification_deliveries_by_age on notification_deliveries (created_at)',
  'github_deliveries_by_age on github_deliveries (received_at)',
]

export async function dueRows(db: Kysely<unknown>): Promise<void> {
  for (const index of indexes) await sql.raw(`create index ${index}`).execute(db)
}
