// Forms of sites and what was sent to them.
import { type Kysely, sql } from 'kysely'

export async function forms(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('forms')
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('notify', 'text', c => c.notNull())
    .addColumn('retention_days', 'integer')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('forms_pk', ['project_id', 'name'])
    .execute()
  await schema
    .createTable('submissions')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull())
    .addColumn('form', 'text', c => c.notNull())
    .addColumn('fields', 'text', c => c.notNull())
    .addColumn('country', 'text')
    .addColumn('referrer', 'text')
    .addColumn('mail_due', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addForeignKeyConstraint(
      'submissions_form_fk',
      ['project_id', 'form'],
      'forms',
      ['project_id', 'name'],
      c => c.onDelete('cascade'),
    )
    .execute()
  await schema
    .createIndex('submissions_by_form')
    .on('submissions')
    .columns(['project_id', 'form', 'created_at', 'id'])
    .execute()
  await sql`create index submissions_mail_due on submissions (project_id, form) where mail_due = 1`.execute(
    db,
  )
}
