// A branch deployment that is promoted moves from preview to production, and back when another one goes live. Its app
// restarts with the variables of its new environment.
import { findDeployment } from '../../store/deployments/deployments.ts'
import { hasTargetedEnv } from '../../store/env/env.ts'
import type { Changed, Tx } from '../../store/store.ts'
import { restartApps } from '../base/app-restarts.ts'

/** `moved`: the deployment that was live and the one that is live now. */
export async function restartInEnvironment(
  tx: Tx,
  changed: Changed,
  projectId: string,
  moved: readonly (string | null)[],
): Promise<void> {
  const [before, now] = moved
  if (before === now || !(await hasTargetedEnv(tx, projectId))) return
  for (const id of moved) {
    const deployment = await findDeployment(tx, projectId, id ?? '')
    if (deployment?.kind !== 'server' || deployment.git_branch === null) continue
    await restartApps(tx, changed, projectId)
    return
  }
}
