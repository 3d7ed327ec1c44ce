// What the live app of a project does, and its restart on request.
import type { AppState } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findGeneration } from '../../store/apps/generations.ts'
import { findActive, findLastEnded } from '../../store/apps/instances.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import { restartApps } from '../base/app-restarts.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import { isoTimeOrNull } from '../base/times.ts'
import { currentOf } from './instances.ts'

export async function restartProject(
  platform: Rows,
  caller: Caller,
  project: ProjectWithOrg,
): Promise<boolean> {
  const { store } = platform
  const live = await findDeployment(store.db, project.id, project.active_deployment_id ?? '')
  if (live?.kind !== 'server') throw new Fault('not_a_server', 'The project has no live server app.')
  return await store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    await requireNotSuspended(tx, project.id)
    await audit(platform, tx, caller, { action: 'app.restart', project })
    return await restartApps(tx, changed, project.id)
  })
}

/** What the live deployment's app does now. `null` if the project is static. */
export async function appState(
  platform: Pick<Platform, 'store' | 'nodeId'>,
  live: { id: string; project_id: string; kind: string } | undefined,
): Promise<AppState | null> {
  if (live?.kind !== 'server') return null
  const { ready, elsewhere, starting, ended } = await currentOf(platform, live.id)
  const up = ready ?? elsewhere
  if (up) {
    const restart = await restartState(platform, live)
    return {
      state: 'running',
      since: isoTimeOrNull(up.ready_at),
      error: null,
      ...(restart && { restart }),
      ...(up.memory_bytes !== null && { usage: usageOf(up) }),
    }
  }
  if (starting) return { state: 'starting', since: isoTimeOrNull(starting.created_at), error: null }
  const isBad = ended?.outcome === 'crashed' || ended?.outcome === 'failed'
  const since = isoTimeOrNull(ended?.ended_at ?? null)
  return { state: isBad ? 'crashed' : 'stopped', since, error: isBad ? ended.error : null }
}

const usageOf = (up: Pick<AppInstanceRow, 'memory_bytes' | 'cpu_millicores'>): AppState['usage'] => ({
  memory_bytes: up.memory_bytes ?? 0,
  cpu_cores: up.cpu_millicores === null ? null : up.cpu_millicores / 1000,
})

/** `undefined` if all running instances have the current variables. */
async function restartState(
  { store }: Pick<Platform, 'store'>,
  live: { id: string; project_id: string },
): Promise<AppState['restart']> {
  const wanted = await findGeneration(store.db, live.project_id)
  const { rows } = await findActive(store.db, live.id)
  const isOutdated = rows.some(row => row.state === 'ready' && row.generation < wanted)
  if (!isOutdated) return undefined
  const isStarting = rows.some(row => row.state === 'wanted' || row.state === 'starting')
  const ended = isStarting ? undefined : (await findLastEnded(store.db, live.id)).rows[0]
  const hasFailed =
    (ended?.outcome === 'failed' || ended?.outcome === 'crashed') && ended.generation >= wanted
  return hasFailed ? { state: 'failed', error: ended.error } : { state: 'starting', error: null }
}
