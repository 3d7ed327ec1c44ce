// The project or org whose notifications a caller manages.
import { Fault } from '../../lib/fault.ts'
import type { Owner } from '../../store/billing/plan-usage.ts'
import { findTarget, type TargetOwner } from '../../store/notifications/targets.ts'
import type { Db } from '../../store/store.ts'
import type { NotificationTargetRow } from '../../store/tables.ts'
import type { OrgScope, ProjectScope } from '../orgs/rights.ts'

export type Subscriber = { project: ProjectScope } | { org: OrgScope }

export const keyOf = (of: Subscriber): TargetOwner =>
  'project' in of ? { projectId: of.project.id } : { orgId: of.org.id }

/** Whose emails its notifications count as. */
export const ownerOf = (of: Subscriber): Owner & { name: string } =>
  'project' in of ? of.project : { account_id: null, org_id: of.org.id, name: of.org.name }

export async function requireTarget(db: Db, of: Subscriber, id: string): Promise<NotificationTargetRow> {
  const row = await findTarget(db, keyOf(of), id)
  if (row) return row
  throw new Fault('not_found', `There is no notification target '${id.slice(0, 40)}' here.`)
}
