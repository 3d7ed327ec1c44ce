// The builds of all projects, as the operator sees them.
import type { AdminBuild } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { findPlatformBuild, listPlatformBuilds } from '../../store/admin/builds.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { endBuild } from '../builds/queue.ts'

export async function platformBuilds(
  { store, clock }: Rows,
  page: PageRequest,
): Promise<{ builds: AdminBuild[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listPlatformBuilds(store.db, clock.now() - dayMs, page)
  const builds = rows.map(row => ({
    id: row.id,
    project: row.project,
    branch: row.branch,
    status: row.status as AdminBuild['status'],
    created_at: isoTime(row.created_at),
    started_at: isoTimeOrNull(row.started_at),
    finished_at: isoTimeOrNull(row.finished_at),
    node: row.node_id,
    error: row.error,
  }))
  return { builds, next_cursor }
}

/** The log of the project names the admin. */
export async function cancelPlatformBuild(platform: Rows, caller: Caller, id: string): Promise<void> {
  const build = await findPlatformBuild(platform.store.db, id)
  if (!build) throw new Fault('not_found', 'There is no such build.')
  await endBuild(platform, caller, { id: build.project_id, org_id: build.org_id }, id)
}
