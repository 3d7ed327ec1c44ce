// Build minutes. The limits of the project's owner say how many a month has.
import { Fault } from '../../lib/fault.ts'
import { ownerId } from '../../store/billing/plan-usage.ts'
import { findProjectById } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import { unlimited } from '../base/catalog.ts'
import { allowancesOf, requireRoom } from '../base/plans.ts'
import type { PlanSettings } from '../base/platform.ts'
import { buildMinutesUsed } from '../billing/usage.ts'

/** Throws `quota_exceeded` (402) if the minutes are used up. Running builds are not stopped. */
export async function requireBuildMinutes(platform: PlanSettings, db: Db, projectId: string): Promise<void> {
  const owner = await findProjectById(db, projectId)
  if (!owner) return
  const { buildMinutes } = await allowancesOf(platform, db, ownerId(owner))
  if (buildMinutes === unlimited) return
  const used = await buildMinutesUsed(db, owner, platform.clock.now())
  await requireRoom(platform, db, ownerId(owner), 'buildMinutes', used)
}

/** Says why no build was queued, for a change that succeeds without its build. */
export async function whyNoMinutes(
  platform: PlanSettings,
  db: Db,
  projectId: string,
): Promise<string | undefined> {
  try {
    await requireBuildMinutes(platform, db, projectId)
    return undefined
  } catch (error) {
    if (error instanceof Fault && error.code === 'quota_exceeded') return error.message
    throw error
  }
}
