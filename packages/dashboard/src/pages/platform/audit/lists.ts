// The activity logs: one per org, one per project, and that of the account.
import type { AuditEntry } from '@svc/contract'
import { call } from '../../../api.ts'
import { type PagedList, pagedList } from '../../../paged-list.ts'

const lists = new Map<string, PagedList<AuditEntry>>()

type Query = { limit: string; cursor?: string }

const load = {
  org: (name: string, query: Query) => call('GET /orgs/:name/audit', { params: { name }, query }),
  project: (name: string, query: Query) => call('GET /projects/:name/audit', { params: { name }, query }),
  account: (_: string, query: Query) => call('GET /me/audit', { query }),
}

export type LogOwner = keyof typeof load

export function auditOf(of: LogOwner, name = ''): PagedList<AuditEntry> {
  const key = `audit of ${of} ${name}`
  const list =
    lists.get(key) ??
    pagedList<AuditEntry>(key, async query => {
      const { entries, next_cursor } = await load[of](name, query)
      return { rows: entries, next_cursor }
    })
  lists.set(key, list)
  return list
}
