// The certificates of all custom domains and of the platform itself, for the operator.
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

/** Those of the platform's own names, of which there are a few, and those of sites below its domain that are missing. */
export const ownCertificates = (db: Db) =>
  db
    .selectFrom('certificates')
    .leftJoin('projects', 'projects.id', 'certificates.project_id')
    .select(['certificates.name', ...shown, ...words])
    .select(['projects.name as project', 'certificates.created_at as verified_at'])
    .where('certificates.domain', 'is', null)
    .where(eb =>
      eb.or([
        eb('certificates.project_id', 'is', null),
        eb('certificates.state', 'in', ['pending', 'failed']),
      ]),
    )
    .orderBy(eb => eb.case().when('certificates.project_id', 'is', null).then(0).else(1).end())
    .orderBy('certificates.name')
    .limit(50)
    .execute()
