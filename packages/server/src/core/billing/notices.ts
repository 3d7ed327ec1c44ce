// Sends an email when an owner has used 80 % of the month's bandwidth, and another at 100 %. Sites are still served.
import { heavyOwners } from '../../store/billing/usage.ts'
import { monthOf } from '../base/periods.ts'
import { planOf } from '../base/plans.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { queueMail } from './mails.ts'

const levels = [
  { kind: 'bandwidth-100', share: 1 },
  { kind: 'bandwidth-80', share: 0.8 },
] as const

export async function noticeBandwidth(platform: Rows & Pick<Platform, 'billing' | 'catalog'>): Promise<void> {
  if (platform.billing === 'off') return
  const { store, catalog, clock } = platform
  const month = monthOf(clock.now())
  const least = Math.min(...[...catalog.values()].map(plan => plan.bandwidthBytes))
  if (!Number.isFinite(least)) return
  for (const { ownerId, bytes } of await heavyOwners(store.aside, month.start, Math.max(1, least * 0.8))) {
    const plan = await planOf(platform, store.db, ownerId)
    const reached = levels.find(({ share }) => bytes >= plan.bandwidthBytes * share)
    if (!reached) continue
    const { kind } = reached
    const details = { plan: plan.id, used: bytes, allowed: plan.bandwidthBytes }
    // The key names the plan, so that an owner gets new emails after a change of plan.
    const once = `${kind} ${ownerId} ${month.name} ${plan.id}`
    await store.transact(tx => queueMail(platform, tx, { ownerId, kind, once, details }))
  }
}
