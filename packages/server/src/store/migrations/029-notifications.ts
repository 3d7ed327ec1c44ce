// Notifications: where they go, what waits to be sent, and which problems were told of already.
import type { Kysely } from 'kysely'

export async function notifications(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('notification_targets')
    .addColumn('id', 'text', c => c.primaryKey())
    // Exactly one of the two owns it.
    .addColumn('project_id', 'text', c => c.references('projects.id').onDelete('cascade'))
    .addColumn('org_id', 'text', c => c.references('orgs.id').onDelete('cascade'))
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('address', 'text', c => c.notNull())
    .addColumn('events', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema.createIndex('targets_of_project').on('notification_targets').column('project_id').execute()
  await schema.createIndex('targets_of_org').on('notification_targets').column('org_id').execute()
  await schema
    .createTable('notification_secrets')
    .addColumn('target_id', 'text', c =>
      c.primaryKey().references('notification_targets.id').onDelete('cascade'),
    )
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .execute()
  await schema
    .createTable('notification_deliveries')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('target_id', 'text', c =>
      c.notNull().references('notification_targets.id').onDelete('cascade'),
    )
    .addColumn('type', 'text', c => c.notNull())
    .addColumn('content', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('attempts', 'integer', c => c.notNull())
    // When a worker sends it next. While a worker sends it: when another one may take over. Null when it is done.
    .addColumn('next_at', 'bigint')
    .addColumn('status', 'integer')
    .addColumn('response', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('delivered_at', 'bigint')
    .execute()
  await schema
    .createIndex('deliveries_of_target')
    .on('notification_deliveries')
    .columns(['target_id', 'created_at'])
    .execute()
  await schema.createIndex('deliveries_due').on('notification_deliveries').column('next_at').execute()
  await schema
    .createTable('notification_incidents')
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('event', 'text', c => c.notNull())
    // The job, deployment or domain that has the problem.
    .addColumn('subject', 'text', c => c.notNull())
    .addColumn('notified_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('notification_incidents_pk', ['project_id', 'event', 'subject'])
    .execute()
}
