// What a plan allows, and whether there is room for one more.
import { Fault } from '../lib/fault.ts'
import type { Db } from '../store/store.ts'
import { findSubscription } from '../store/subscriptions.ts'
import type { Platform } from './platform.ts'

export interface Allowances {
  projects: number
  domains: number
  orgs: number
  /** Server apps that are never stopped. */
  readyApps: number
}

const catalog: Record<string, Allowances> = {
  free: { projects: 50, domains: 25, orgs: 3, readyApps: 0 },
  pro: { projects: 250, domains: 100, orgs: 10, readyApps: 3 },
  business: { projects: 2_000, domains: 1_000, orgs: 50, readyApps: 20 },
}

const no = Number.POSITIVE_INFINITY
const unlimited = { projects: no, domains: no, orgs: no }

/** Of an account or an org; an org's own plan, never a member's. */
export async function allowancesOf(
  platform: Pick<Platform, 'billing' | 'readyApps' | 'clock'>,
  db: Db,
  ownerId: string,
): Promise<Allowances> {
  if (platform.billing === 'off') return { ...unlimited, readyApps: platform.readyApps }
  const subscription = await findSubscription(db, ownerId)
  const active = subscription && subscription.period_end > platform.clock.now()
  return catalog[active ? subscription.plan : 'free'] ?? catalog.free!
}

/** Call it in the transaction that adds one, after taking the owner's row. */
export async function requireRoom(
  platform: Platform,
  db: Db,
  ownerId: string,
  what: keyof Allowances,
  have: number,
): Promise<void> {
  const allowed = (await allowancesOf(platform, db, ownerId))[what]
  if (have >= allowed)
    throw new Fault(
      'quota_exceeded',
      `The plan allows ${allowed} ${what}. Delete one, or change to a larger plan.`,
    )
}
