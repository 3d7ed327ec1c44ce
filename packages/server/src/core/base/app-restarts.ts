// Restarts the running apps of a project. Each gets a successor, which takes over when it accepts connections.
import type { Environment, Place } from '@svc/contract/environments'
import { keepRunning, nextGeneration, skipPauses } from '../../store/apps/generations.ts'
import { runningDeployments } from '../../store/apps/instances.ts'
import { activeDeployment, findDeployment } from '../../store/deployments/deployments.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'

/** Which apps a change concerns. All, if it is for both environments; those of a branch, if it names one. */
interface Concern {
  environment: Environment | 'both'
  /** Empty: all previews. */
  branch: string
}

const isConcerned = (place: Place, { environment, branch }: Concern): boolean =>
  environment === 'both' ||
  (place.environment === environment &&
    (branch === '' || (place.environment === 'preview' && place.branch === branch)))

/**
 * Restarts what runs, after a change that concerns apps. Returns false if the live app does not run: the change counts at its
 * next start. `undefined` if no server app is concerned.
 */
export async function applyToApps(
  tx: Tx,
  changed: Changed,
  project: ProjectWithOrg,
  concerns: readonly Concern[],
): Promise<boolean | undefined> {
  if (await restartApps(tx, changed, project.id, concerns)) return true
  const live = await findDeployment(tx, project.id, project.active_deployment_id ?? '')
  const isOfLive = concerns.some(concern => isConcerned({ environment: 'production' }, concern))
  return live?.kind === 'server' && isOfLive ? false : undefined
}

/** Returns whether any app was running. Without `concerns`, all restart. */
export async function restartApps(
  tx: Tx,
  changed: Changed,
  projectId: string,
  concerns: readonly Concern[] = [{ environment: 'both', branch: '' }],
): Promise<boolean> {
  const active = await activeDeployment(tx, projectId)
  const [concerned, others]: [string[], string[]] = [[], []]
  for (const id of await runningDeployments(tx, projectId)) {
    const branch = id === active ? null : ((await findDeployment(tx, projectId, id))?.git_branch ?? null)
    const place: Place = branch === null ? { environment: 'production' } : { environment: 'preview', branch }
    const list = concerns.some(concern => isConcerned(place, concern)) ? concerned : others
    list.push(id)
  }
  if (concerned.length === 0) return false
  await nextGeneration(tx, projectId)
  await keepRunning(tx, projectId, others)
  // The app may have crashed because of a variable that is now changed.
  await skipPauses(tx, projectId)
  for (const id of concerned) await changed({ topic: 'app', key: id })
  return true
}
