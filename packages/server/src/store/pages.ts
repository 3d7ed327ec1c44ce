// The condition that makes a list go on where its last page ended; the order is (created_at, id), newest first.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type PageRequest, positionOf } from '../lib/page.ts'

export function olderThan(table: string, page: PageRequest): RawBuilder<SqlBool> {
  if (page.cursor === undefined) return sql<SqlBool>`1 = 1`
  const { created_at, id } = positionOf(page.cursor)
  return sql<SqlBool>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (${created_at}, ${id})`
}
