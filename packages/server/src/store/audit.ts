// The audit log's rows.
import { newId } from '../lib/ids.ts'
import { type PageRequest, pageOf } from '../lib/page.ts'
import { olderThan } from './pages.ts'
import type { Db } from './store.ts'
import type { AuditRow } from './tables.ts'

export async function insertAudit(db: Db, entry: Omit<AuditRow, 'id'>): Promise<void> {
  await db
    .insertInto('audit')
    .values({ id: newId('aud'), ...entry })
    .execute()
}

/** With the name that the project has now, if there still is one. */
export type AuditWithProject = AuditRow & { project_name: string | null }

/** An org's log holds what happened to its projects, too. */
export async function listAudit(db: Db, of: { projectId: string } | { orgId: string }, page: PageRequest) {
  const [column, id] =
    'orgId' in of ? (['audit.org_id', of.orgId] as const) : (['audit.project_id', of.projectId] as const)
  const rows: AuditWithProject[] = await db
    .selectFrom('audit')
    .leftJoin('projects', 'projects.id', 'audit.project_id')
    .selectAll('audit')
    .select('projects.name as project_name')
    .where(column, '=', id)
    .where(olderThan('audit', page))
    .orderBy('audit.created_at', 'desc')
    .orderBy('audit.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}
