// Which submissions were read or marked as spam, and how often the trap for bots worked.
import { type Kysely, sql } from 'kysely'

export async function formInbox(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const flag = (table: string, name: string) =>
    schema
      .alterTable(table)
      .addColumn(name, 'integer', c => c.notNull().defaultTo(0))
      .execute()
  await flag('submissions', 'is_read')
  await flag('submissions', 'is_spam')
  await flag('forms', 'trapped')
  // Nobody could mark these until now.
  await sql`update submissions set is_read = 1`.execute(db)
  await sql`create index submissions_unread on submissions (project_id, form, created_at, id)
    where is_read = 0 and is_spam = 0`.execute(db)
  await sql`create index submissions_spam on submissions (project_id, form, created_at, id)
    where is_spam = 1`.execute(db)
}
