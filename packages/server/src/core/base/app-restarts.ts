// Restarts the running apps of a project. Each gets a successor, which takes over when it accepts connections.
import { nextGeneration, runningDeployments, skipPauses } from '../../store/apps/instances.ts'
import { findDeployment } from '../../store/deployments/deployments.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'

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
export async function restartApps(tx: Tx, changed: Changed, projectId: string): Promise<boolean> {
  const running = await runningDeployments(tx, projectId)
  if (running.length === 0) return false
  await nextGeneration(tx, projectId)
  // The app may have crashed because of a variable that is now changed.
  await skipPauses(tx, projectId)
  for (const id of running) await changed({ topic: 'app', key: id })
  return true
}
