// Restarts the running apps of a project. Each gets a successor, which takes over when it accepts connections.
import type { AppState } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import {
  findActive,
  findGeneration,
  findLastEnded,
  nextGeneration,
  runningDeployments,
  skipPauses,
} from '../../store/apps/instances.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'
import { currentOf } from './instances.ts'

/**
 * Restarts what runs, after a change that concerns apps. Returns false if the live app does not run: the change counts at its
 * next start. `undefined` if the project has no server app.
 */
export async function applyToApps(
  tx: Tx,
  changed: Changed,
  project: ProjectWithOrg,
): Promise<boolean | undefined> {
  if (await restartApps(tx, changed, project.id)) return true
  const live = await findDeployment(tx, project.id, project.active_deployment_id ?? '')
  return live?.kind === 'server' ? false : undefined
}

/** Returns whether any app was running. */
async function restartApps(tx: Tx, changed: Changed, projectId: string): Promise<boolean> {
  const running = await runningDeployments(tx, projectId)
  if (running.length === 0) return false
  await nextGeneration(tx, projectId)
  // The app may have crashed because of a variable that is now changed.
  await skipPauses(tx, projectId)
  for (const id of running) await changed({ topic: 'app', key: id })
  return true
}

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
