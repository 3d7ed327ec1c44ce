// The certificates of all custom domains and of the platform itself, for the operator.
import { sql } from 'kysely'
import type { PageRequest } from '../../lib/page.ts'
import type { Db } from '../store.ts'

const shown = ['certificates.state', 'certificates.expires_at', 'certificates.next_at'] as const
const words = ['certificates.waiting_for', 'certificates.error'] as const

/** By name. The cursor is the last name of the page before. */
export async function listCertificates(db: Db, { limit, cursor = '' }: PageRequest) {
  const rows = await db
    .selectFrom('domains')
    .innerJoin('projects', 'projects.id', 'domains.project_id')
    .leftJoin('certificates', 'certificates.name', 'domains.domain')
    .select(['domains.domain as name', 'projects.name as project', 'domains.verified_at'])
    .select([...shown, ...words])
    .where('domains.domain', '>', cursor)
    .orderBy('domains.domain')
    .limit(limit + 1)
    .execute()
  const isLast = rows.length <= limit
  const page = rows.slice(0, limit)
  return { rows: page, next_cursor: isLast ? null : page.at(-1)!.name }
}

/** Those of the platform's own names. There are one or two. */
export const ownCertificates = (db: Db) =>
  db
    .selectFrom('certificates')
    .select(['name', ...shown, ...words])
    .select([sql<null>`null`.as('project'), 'created_at as verified_at'])
    .where('domain', 'is', null)
    .orderBy('name')
    .limit(10)
    .execute()
