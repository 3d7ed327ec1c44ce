// Variables of one environment or of one branch, and secret ones. Those from before are for both environments.
import { type Kysely, sql } from 'kysely'

export async function envTargets(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  // SQLite cannot change a primary key, so the rows move to a new table.
  await schema
    .createTable('env_vars_moved')
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('key', 'text', c => c.notNull())
    .addColumn('environment', 'text', c => c.notNull().defaultTo('both'))
    .addColumn('branch', 'text', c => c.notNull().defaultTo(''))
    .addColumn('sealed', 'text', c => c.notNull())
    .addColumn('key_id', 'text', c => c.notNull())
    .addColumn('scope', 'text', c => c.notNull())
    .addColumn('secret', 'integer', c => c.notNull().defaultTo(0))
    .addColumn('updated_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('env_vars_of_target', ['project_id', 'key', 'environment', 'branch'])
    .execute()
  await sql`insert into env_vars_moved (project_id, key, sealed, key_id, scope, updated_at)
    select project_id, key, sealed, key_id, scope, updated_at from env_vars`.execute(db)
  await schema.dropTable('env_vars').execute()
  await schema.alterTable('env_vars_moved').renameTo('env_vars').execute()
  await schema.createIndex('env_vars_by_key_id').on('env_vars').column('key_id').execute()
}
