// The audit log: who changed what, when and from where. An entry is written in the transaction of the change and never
// contains a secret.
import type { AuditAction, AuditEntry } from '@svc/contract'
import type { PageRequest } from '../../lib/page.ts'
import { type AuditOwner, type AuditWithProject, insertAudit, listAudit } from '../../store/platform/audit.ts'
import type { Db } from '../../store/store.ts'
import type { Caller } from './caller.ts'
import type { Platform } from './platform.ts'
import { isoTime } from './times.ts'

interface Change {
  action: AuditAction
  /** Where it happened: a project (with the org that owns it), an org or an account. */
  project?: { id: string; org_id: string | null } | undefined
  orgId?: string | undefined
  accountId?: string | undefined
  /** What it happened to, by the name people know it by. */
  target?: string | undefined
  details?: Record<string, string | number | boolean | null>
}

/** A token of an org acts for the person who created it. The log names the token. */
export type Actor = Pick<Caller, 'account' | 'ip'> & Partial<Pick<Caller, 'org' | 'tokenId' | 'audits'>>

/** A request that no account made, such as the call of a deploy hook. */
interface Anonymous {
  ip: string
  account?: undefined
  org?: undefined
  tokenId?: undefined
  audits?: undefined
}

/** Returns the id of the entry. `another owner` replaces an actor that this log must not reveal. */
export async function audit(
  platform: Pick<Platform, 'clock'>,
  db: Db,
  caller: Actor | Anonymous | 'another owner',
  entry: Change,
): Promise<string> {
  const actor = caller === 'another owner' ? undefined : caller
  if (actor?.audits?.includes(entry.action) === false)
    throw new Error(
      `The row of this endpoint in packages/contract/src/endpoints does not list the audit action '${entry.action}'.`,
    )
  return await insertAudit(db, {
    project_id: entry.project?.id ?? null,
    org_id: entry.orgId ?? entry.project?.org_id ?? null,
    account_id: entry.accountId ?? null,
    actor: actor?.account?.login ?? '',
    action: entry.action,
    target: entry.target ?? null,
    ip: actor?.ip ?? '',
    details: JSON.stringify({ ...entry.details, ...(actor?.org && { token: actor.tokenId }) }),
    created_at: platform.clock.now(),
  })
}

export async function auditLog(platform: Pick<Platform, 'store'>, of: AuditOwner, page: PageRequest) {
  const { rows, next_cursor } = await listAudit(platform.store.db, of, page)
  return { entries: rows.map(describeEntry), next_cursor }
}

export const describeEntry = (row: AuditWithProject): AuditEntry => ({
  at: isoTime(row.created_at),
  actor: row.actor || null,
  action: row.action as AuditAction,
  target: row.target,
  project: row.project_name,
  ip: row.ip || null,
  details: JSON.parse(row.details) as Record<string, unknown>,
})
