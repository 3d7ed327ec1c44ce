// The apps that are always kept running: for each owner as many as the plan allows, those of the oldest projects first.
import { listLiveServers } from '../../store/apps/instances.ts'
import { hasOwnLimit } from '../../store/billing/owner-limits.ts'
import type { App } from '../base/apps.ts'
import { allowancesOf } from '../base/plans.ts'
import type { PlanSettings, Platform } from '../base/platform.ts'

export async function listReadyApps(platform: Pick<Platform, 'store'> & PlanSettings): Promise<App[]> {
  const { db } = platform.store
  if (platform.billing === 'off' && platform.defaultLimits.readyApps === 0)
    if (!(await hasOwnLimit(db, 'ready_apps'))) return []
  const left = new Map<string, number>()
  const kept: App[] = []
  for (const { id, project_id, org_id, account_id } of await listLiveServers(db)) {
    const owner = org_id ?? account_id ?? ''
    const room = left.get(owner) ?? (await allowancesOf(platform, db, owner)).readyApps
    if (room > 0) kept.push({ projectId: project_id, deploymentId: id })
    left.set(owner, room - 1)
  }
  return kept
}
