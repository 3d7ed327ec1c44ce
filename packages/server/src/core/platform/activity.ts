// What changed lately, from the audit log.
import type { AuditEntry } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { activityOfAccount, activityOfOrg } from '../../store/platform/audit.ts'
import { describeEntry } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { hasRole, type OrgScope } from '../orgs/rights.ts'

const recentMs = 30 * dayMs

/** What changed lately in the personal projects of the caller, or in an org. Members see only what concerns projects. */
export async function recentActivity(
  platform: Rows,
  caller: Caller,
  org: OrgScope | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const { db } = platform.store
  const since = platform.clock.now() - recentMs
  const rows = org
    ? await activityOfOrg(db, org.id, { since, limit, onlyProjects: !hasRole(org.role, 'admin') })
    : await activityOfAccount(db, caller.account.id, { since, limit })
  return rows.map(describeEntry)
}
