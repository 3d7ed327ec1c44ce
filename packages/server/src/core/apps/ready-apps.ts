// The apps that are always kept running: for each owner as many as the plan allows, those of the oldest projects first.
import { listLiveServers } from '../../store/apps/instances.ts'
import type { App } from '../base/apps.ts'
import { allowancesOf } from '../base/plans.ts'
import type { PlanSettings, Platform } from '../base/platform.ts'

export async function listReadyApps(platform: Pick<Platform, 'store'> & PlanSettings): Promise<App[]> {
  if (platform.billing === 'off' && platform.readyApps === 0) return []
  const { db } = platform.store
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
