// The usage of an account or an org, for each allowance of its plan.
import type { PlanUsage } from '@svc/contract'
import { dayMs, minuteMs } from '@svc/contract/durations'
import { formBytes, type Owner, ownerId, runningApps, storedBytes } from '../../store/billing/plan-usage.ts'
import { bandwidthByDay, buildMs, countServerApps } from '../../store/billing/usage.ts'
import { countDomains } from '../../store/domains/domains.ts'
import { countOwnedOrgs, countProjects } from '../../store/orgs/orgs.ts'
import type { Db } from '../../store/store.ts'
import { microCentsPerCent } from '../ai/prices.ts'
import { aiCostThisMonth } from '../ai/usage.ts'
import { monthOf } from '../base/periods.ts'
import type { Platform } from '../base/platform.ts'
import { isOrg } from './owners.ts'

export const ownerOf = (id: string): Owner =>
  isOrg(id) ? { account_id: null, org_id: id } : { account_id: id, org_id: null }

/** Rounded up to whole minutes. */
export async function buildMinutesUsed(db: Db, owner: Owner, now: number): Promise<number> {
  return Math.ceil((await buildMs(db, owner, monthOf(now).start, now)) / minuteMs)
}

interface Usage {
  usage: PlanUsage
  bandwidth_by_day: { day: string; bytes: number }[]
}

export async function usageOf(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  owner: Owner,
): Promise<Usage> {
  const db = store.aside
  const now = clock.now()
  const month = monthOf(now)
  const by = owner.org_id ? { orgId: owner.org_id } : { accountId: ownerId(owner) }
  const days = await bandwidthByDay(db, owner, { from: month.start, to: month.end })
  return {
    usage: {
      projects: await countProjects(db, by),
      domains: await countDomains(db, by),
      orgs: owner.account_id ? await countOwnedOrgs(db, owner.account_id) : 0,
      ready_apps: await countServerApps(db, owner),
      running_apps: (await runningApps(db, owner)).length,
      stored_bytes: await storedBytes(db, owner),
      form_bytes: await formBytes(db, owner),
      bandwidth_bytes: [...days.values()].reduce((sum, bytes) => sum + bytes, 0),
      build_minutes: await buildMinutesUsed(db, owner, now),
      ai_credit_cents: Math.ceil((await aiCostThisMonth(db, ownerId(owner), now)) / microCentsPerCent),
    },
    bandwidth_by_day: [...daysOf(month.start, now)].map(at => ({
      day: new Date(at).toISOString().slice(0, 10),
      bytes: days.get(at) ?? 0,
    })),
  }
}

/** The days from the first of the month to today. */
function* daysOf(start: number, now: number): Generator<number> {
  for (let at = start; at <= now; at += dayMs) yield at
}
