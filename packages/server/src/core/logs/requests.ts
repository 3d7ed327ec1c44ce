// The request log of a project, for readers.
import type { LoggedRequest } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { deleteOldRequests, isSampled, listRequests } from '../../store/logs/requests.ts'
import type { RequestRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'

/** docs/logs.md tells users this number. */
const keptDays = 3

interface RequestsAsked extends PageRequest {
  status?: string | undefined
  method?: string | undefined
  host?: string | undefined
  path?: string | undefined
  deployment?: string | undefined
  request?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

export async function readRequests(
  platform: Rows & Pick<Platform, 'analytics'>,
  project: ProjectScope,
  asked: RequestsAsked,
): Promise<{ requests: LoggedRequest[]; next_cursor: string | null; sampled: boolean }> {
  if (!platform.analytics)
    throw new Fault('stats_unavailable', 'Requests are not logged on this platform (SVCD_ANALYTICS=off).')
  const { path, deployment, request } = asked
  const filter = {
    ...{ path, deployment, request },
    method: asked.method?.toUpperCase(),
    host: asked.host?.toLowerCase(),
    status: asked.status === undefined ? undefined : statusRange(asked.status),
    since: asked.since === undefined ? undefined : millisecondsOf(asked.since),
    until: asked.until === undefined ? undefined : millisecondsOf(asked.until),
  }
  const db = platform.store.aside
  const { rows, next_cursor } = await listRequests(db, project.id, filter, asked)
  return { requests: rows.map(describe), next_cursor, sampled: await isSampled(db, project.id, filter) }
}

/** `4xx`, `404` or `0`. The contract allows no other form. */
const statusRange = (status: string): { from: number; to: number } => ({
  from: Number(status.replaceAll('x', '0')),
  to: Number(status.replaceAll('x', '9')),
})

const millisecondsOf = (unixSeconds: string): number => Math.round(Number(unixSeconds) * 1000)

const describe = (row: RequestRow): LoggedRequest => ({
  id: row.id,
  at: isoTime(row.created_at),
  method: row.method,
  host: row.host,
  path: row.path,
  status: row.status,
  ms: row.ms === null ? 0 : Number(row.ms),
  bytes: Number(row.bytes),
  cache: row.cache,
  deployment_id: row.deployment_id,
  request_id: row.request_id,
  count: Number(row.times),
})

export async function forgetOldRequests({ store: { db }, clock }: Rows): Promise<void> {
  await deleteOldRequests(db, clock.now() - keptDays * dayMs)
}
