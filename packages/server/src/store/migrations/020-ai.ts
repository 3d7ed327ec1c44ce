// What was asked of the AI gateway, by day, model and token, and what it cost by month.
import type { Kysely } from 'kysely'

const counts = [
  'requests',
  'uncounted',
  'unpriced',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'cost',
]

export async function ai(db: Kysely<unknown>): Promise<void> {
  let usage = db.schema
    .createTable('ai_usage')
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('day', 'bigint', c => c.notNull())
    .addColumn('model', 'text', c => c.notNull())
    .addColumn('token_id', 'text', c => c.notNull().references('tokens.id').onDelete('cascade'))
  for (const column of counts) usage = usage.addColumn(column, 'bigint', c => c.notNull())
  await usage.addPrimaryKeyConstraint('ai_usage_pk', ['owner_id', 'day', 'model', 'token_id']).execute()
  await db.schema.createIndex('ai_usage_by_token').on('ai_usage').column('token_id').execute()
  await db.schema.createIndex('ai_usage_by_day').on('ai_usage').column('day').execute()
  await db.schema
    .createTable('ai_months')
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('month', 'bigint', c => c.notNull())
    .addColumn('cost', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('ai_months_pk', ['owner_id', 'month'])
    .execute()
}
