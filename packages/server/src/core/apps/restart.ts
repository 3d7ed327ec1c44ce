// Restarts: the running apps of a project get successors, which take over when they accept connections.
import type { AppState } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { nextGeneration, runningDeployments } from '../../store/app-instances.ts'
import { findDeployment } from '../../store/deployments.ts'
import { lockProject, type ProjectWithOrg } from '../../store/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import { audit } from '../audit.ts'
import type { Caller } from '../callers.ts'
import type { Platform } from '../platform.ts'
import { isoTimeOrNull } from '../times.ts'
import { currentOf } from './instances.ts'

/** Whether anything runs that starts anew. */
export async function restartApps(tx: Tx, changed: Changed, projectId: string): Promise<boolean> {
  const running = await runningDeployments(tx, projectId)
  if (running.length === 0) return false
  await nextGeneration(tx, projectId)
  for (const id of running) await changed({ topic: 'app', key: id })
  return true
}

export async function restartProject(
  platform: Platform,
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

/** What the live deployment's app does now; null where the project is static. */
export async function appState(
  platform: Pick<Platform, 'store' | 'nodeId'>,
  live: { id: string; kind: string } | undefined,
): Promise<AppState | null> {
  if (live?.kind !== 'server') return null
  const { ready, elsewhere, starting, ended } = await currentOf(platform, live.id)
  const up = ready ?? elsewhere
  if (up) return { state: 'running', since: isoTimeOrNull(up.ready_at), error: null }
  if (starting) return { state: 'starting', since: isoTimeOrNull(starting.created_at), error: null }
  const isBad = ended?.outcome === 'crashed' || ended?.outcome === 'failed'
  const since = isoTimeOrNull(ended?.ended_at ?? null)
  return { state: isBad ? 'crashed' : 'stopped', since, error: isBad ? ended.error : null }
}
