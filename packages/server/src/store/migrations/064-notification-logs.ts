// Whether a webhook gets the last lines of an app with the error of a failed deployment.
import type { Kysely } from 'kysely'

export async function notificationLogs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('notification_targets')
    .addColumn('include_logs', 'integer', c => c.notNull().defaultTo(0))
    .execute()
}
