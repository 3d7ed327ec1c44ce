// Sends an email when an owner has used 80 % of the month's bandwidth, and another at 100 %. Sites are still served.
import { leastOwnLimit, ownLimitsOf } from '../../store/billing/owner-limits.ts'
import { heavyOwners } from '../../store/billing/usage.ts'
import { unlimited } from '../base/catalog.ts'
import { monthOf } from '../base/periods.ts'
import { allowancesOf, planOf } from '../base/plans.ts'
import type { PlanSettings, Rows } from '../base/platform.ts'
import { queueMail } from './mails.ts'

const levels = [
  { kind: 'bandwidth-100', share: 1 },
  { kind: 'bandwidth-80', share: 0.8 },
] as const

export async function noticeBandwidth(platform: Rows & PlanSettings): Promise<void> {
  const { store, clock, billing } = platform
  const month = monthOf(clock.now())
  const defaults = billing === 'off' ? [platform.defaultLimits] : [...platform.catalog.values()]
  const own = (await leastOwnLimit(store.db, 'bandwidth_bytes')) ?? unlimited
  const least = Math.min(own, ...defaults.map(({ bandwidthBytes }) => bandwidthBytes))
  if (!Number.isFinite(least)) return
  for (const { ownerId, bytes } of await heavyOwners(store.aside, month.start, Math.max(1, least * 0.8))) {
    const { bandwidthBytes: allowed } = await allowancesOf(platform, store.db, ownerId)
    const reached = levels.find(({ share }) => bytes >= allowed * share)
    if (!reached) continue
    const { kind } = reached
    const isPlan = billing !== 'off' && (await ownLimitsOf(store.db, ownerId)).bandwidth_bytes === undefined
    const plan = isPlan ? (await planOf(platform, store.db, ownerId)).id : ''
    const details = { plan, used: bytes, allowed }
    // The key names the plan or the limit, so that an owner gets new emails after a change.
    const once = `${kind} ${ownerId} ${month.name} ${plan || allowed}`
    await store.transact(tx => queueMail(platform, tx, { ownerId, kind, once, details }))
  }
}
