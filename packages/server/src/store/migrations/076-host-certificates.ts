// Certificates of single hosts below the platform's domain, for platforms without a wildcard certificate.
import type { Kysely } from 'kysely'

export async function hostCertificates(db: Kysely<unknown>): Promise<void> {
  // A project takes the certificates of its hosts, and their keys, with it.
  for (const table of ['certificates', 'tls_keys']) {
    await db.schema
      .alterTable(table)
      .addColumn('project_id', 'text', c => c.references('projects.id').onDelete('cascade'))
      .execute()
    await db.schema.createIndex(`${table}_by_project`).on(table).column('project_id').execute()
  }
  await db.schema
    .alterTable('certificates')
    .addColumn('on_demand', 'integer', c => c.notNull().defaultTo(0))
    .execute()
  // One row for each name of an order. The first one counts as the order.
  await db.schema
    .alterTable('certificate_orders')
    .addColumn('is_first', 'integer', c => c.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('certificate_orders').addColumn('kind', 'text').execute()
  await db.schema.alterTable('certificate_orders').addColumn('owner_id', 'text').execute()
}
