// Limits how many apps run at the same time: for each owner by its limits, for each machine by a setting. To start one more,
// the least recently used app is stopped. Its next request starts it again.
import { moveInstance } from '../../store/apps/instances.ts'
import { ownerId, type RunningApp, runningApps, runningAppsOfNode } from '../../store/billing/plan-usage.ts'
import { lockAccount } from '../../store/identity/accounts.ts'
import { lockOrg } from '../../store/orgs/orgs.ts'
import { findProjectById } from '../../store/projects/projects.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { App } from '../base/apps.ts'
import { unlimited } from '../base/catalog.ts'
import { allowancesOf } from '../base/plans.ts'
import type { PlanSettings } from '../base/platform.ts'

export interface RunningLimits {
  plans: PlanSettings
  /** How many apps one machine runs at a time. */
  perNode: number
}

/** On a full machine, only apps that were idle for this long are stopped for apps of other owners. */
const unusedMs = 60_000

/**
 * Serializes the starts of an owner whose running apps are limited. Called first in the transaction: other transactions lock an
 * owner before its projects, too.
 */
export async function lockLimitedOwner({ plans }: RunningLimits, tx: Tx, { projectId }: App): Promise<void> {
  const owner = await findProjectById(tx, projectId)
  if (!owner || (await allowancesOf(plans, tx, ownerId(owner))).runningApps === unlimited) return
  if (owner.org_id) await lockOrg(tx, owner.org_id)
  else if (owner.account_id) await lockAccount(tx, owner.account_id)
}

/** Called in the transaction that requests an instance. Returns false if no app can be stopped for it now. */
export async function enforceRunningLimits(
  { plans, perNode }: RunningLimits,
  { tx, changed, nodeId }: { tx: Tx; changed: Changed; nodeId: string },
  { projectId, deploymentId }: App,
): Promise<boolean> {
  const now = plans.clock.now()
  const owner = await findProjectById(tx, projectId)
  if (!owner) return true
  const { runningApps: allowed } = await allowancesOf(plans, tx, ownerId(owner))
  const stop = (app: RunningApp) => drain(tx, changed, app, now)
  return (
    (await stopBeyond(await runningApps(tx, owner), deploymentId, allowed, stop)) &&
    (await stopBeyond(await runningAppsOfNode(tx, nodeId), deploymentId, perNode, async app =>
      app.used_at < now - unusedMs ? await stop(app) : false,
    ))
  )
}

/** A successor of a running instance replaces it, so it does not count. */
async function stopBeyond(
  running: RunningApp[],
  deploymentId: string,
  allowed: number,
  stop: (app: RunningApp) => Promise<boolean>,
): Promise<boolean> {
  const deployments = new Set(running.map(app => app.deployment_id))
  if (deployments.has(deploymentId)) return true
  let room = allowed - deployments.size
  for (const app of running) {
    if (room >= 1) break
    if (app.state === 'ready' && (await stop(app))) room++
  }
  return room >= 1
}

async function drain(
  tx: Tx,
  changed: Changed,
  { id, deployment_id }: RunningApp,
  now: number,
): Promise<boolean> {
  const drained = await moveInstance(tx, id, ['ready'], { state: 'draining', draining_at: now })
  if (drained) await changed({ topic: 'app', key: deployment_id })
  return drained
}
