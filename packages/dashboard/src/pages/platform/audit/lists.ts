// The activity logs, one per org and one per project.
import type { AuditEntry } from '@svc/contract'
import { call } from '../../../api.ts'
import { type PagedList, pagedList } from '../../../paged-list.ts'

const lists = new Map<string, PagedList<AuditEntry>>()

export function auditOf(of: 'org' | 'project', name: string): PagedList<AuditEntry> {
  const key = `audit of ${of} ${name}`
  const route = of === 'org' ? 'GET /orgs/:name/audit' : 'GET /projects/:name/audit'
  const list =
    lists.get(key) ??
    pagedList<AuditEntry>(key, async query => {
      const { entries, next_cursor } = await call(route, { params: { name }, query })
      return { rows: entries, next_cursor }
    })
  lists.set(key, list)
  return list
}
