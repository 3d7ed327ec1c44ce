// Share links of protected previews. Only a hash of the secret is stored.
import type { Kysely } from 'kysely'

export async function previewLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('preview_links')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('project_id', 'text', c => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('preview', 'text', c => c.notNull())
    .addColumn('branch', 'text')
    .addColumn('secret_hash', 'text', c => c.notNull())
    .addColumn('created_by', 'text', c => c.references('accounts.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .execute()
  await db.schema
    .createIndex('preview_links_by_preview')
    .on('preview_links')
    .columns(['project_id', 'preview'])
    .execute()
}
