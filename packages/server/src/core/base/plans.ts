// The allowances of a plan. Only this file refuses requests that exceed them.
import { formatBytes } from '@svc/contract/bytes'
import { Fault } from '../../lib/fault.ts'
import { findSubscription } from '../../store/billing/subscriptions.ts'
import type { Db } from '../../store/store.ts'
import type { SubscriptionRow } from '../../store/tables.ts'
import { type Allowances, type Plan, unlimited } from './catalog.ts'
import type { PlanSettings, Platform } from './platform.ts'

const MB = 1024 * 1024
const GB = 1024 * MB

/** Limits without billing. They only protect the machine from a program that runs wild. */
const withoutBilling: Omit<Allowances, 'readyApps'> = {
  projects: unlimited,
  domains: unlimited,
  orgs: unlimited,
  runningApps: unlimited,
  storedBytes: unlimited,
  formBytes: 20 * GB,
  bandwidthBytes: unlimited,
  buildMinutes: unlimited,
  aiCreditCents: unlimited,
  tokens: 2_000,
  shares: 1_000,
  mailsPerDay: 20_000,
}

const nextMonth = 'Wait until the next month begins (UTC)'

/** How a limit is written in messages, and how to get below it. */
const words: Record<keyof Allowances, { written(amount: number): string; wayOut: string }> = {
  projects: { written: counted('projects'), wayOut: 'Delete one' },
  domains: { written: counted('domains'), wayOut: 'Detach one' },
  orgs: { written: counted('orgs'), wayOut: 'Delete one' },
  readyApps: { written: counted('kept-ready apps'), wayOut: 'Delete one' },
  runningApps: { written: counted('running apps'), wayOut: 'Wait until one stops' },
  storedBytes: {
    written: amount => `${formatBytes(amount)} of stored deployments`,
    wayOut: "Delete old deployments with 'svc deployments rm <deployment-id>'",
  },
  formBytes: {
    written: amount => `${formatBytes(amount)} of form submissions`,
    wayOut: "Delete old submissions with 'svc forms retention <form> <days>'",
  },
  bandwidthBytes: { written: amount => `${formatBytes(amount)} of bandwidth a month`, wayOut: nextMonth },
  buildMinutes: { written: counted('build minutes a month'), wayOut: nextMonth },
  aiCreditCents: { written: amount => `${inEuros(amount)} of AI credit a month`, wayOut: nextMonth },
  tokens: { written: counted('tokens'), wayOut: 'Revoke one' },
  shares: { written: counted('shares'), wayOut: 'Delete one, or wait until one expires' },
  mailsPerDay: { written: counted('emails a day'), wayOut: 'Wait until tomorrow' },
}

/** The limits of all plans in words, for the operator. What is unlimited is left out. */
export function planLimits(settings: PlanSettings): { plan: string; limits: string[] }[] {
  const plans =
    settings.billing === 'off'
      ? [{ ...withoutBilling, readyApps: settings.readyApps, name: 'Every account and org' }]
      : [...settings.catalog.values()]
  const keys = Object.keys(words) as (keyof Allowances)[]
  return plans.map(plan => ({
    plan: plan.name,
    limits: keys.filter(key => plan[key] !== unlimited).map(key => words[key].written(plan[key])),
  }))
}

/** The allowances of an account or an org. The plan of an org counts, not those of its members. */
export async function allowancesOf(settings: PlanSettings, db: Db, ownerId: string): Promise<Allowances> {
  if (settings.billing === 'off') return { ...withoutBilling, readyApps: settings.readyApps }
  return await planOf(settings, db, ownerId)
}

/** The current plan: the free one if no other is paid for, or if the other is no longer in the catalog. */
export async function planOf(
  { catalog, clock }: Pick<PlanSettings, 'clock' | 'catalog'>,
  db: Db,
  ownerId: string,
): Promise<Plan> {
  const subscription = await findSubscription(db, ownerId)
  const counts = subscription && isPaidFor(subscription, clock.now())
  return (counts && catalog.get(subscription.plan)) || catalog.get('free')!
}

/** Also true while a renewal is past due. A cancelled plan ends exactly with its period. */
export const isPaidFor = ({ state, period_end }: SubscriptionRow, now: number): boolean =>
  state === 'active' || state === 'past_due' || (state === 'cancelling' && period_end > now)

/** Must be called in the transaction that adds something, after locking the owner's row. */
export async function requireRoom(
  platform: PlanSettings,
  db: Db,
  ownerId: string,
  what: keyof Allowances,
  have: number,
  more = 1,
): Promise<void> {
  const allowed = (await allowancesOf(platform, db, ownerId))[what]
  if (have + more > allowed) throw quotaExceeded(platform, what, { allowed, have })
}

export function quotaExceeded(
  { billing }: Pick<Platform, 'billing'>,
  what: keyof Allowances,
  { allowed, have }: { allowed: number; have: number },
): Fault {
  const { written, wayOut } = words[what]
  const used = inUnits(what, have)
  const [who, orElse] =
    billing === 'off' ? ['This instance', ''] : ['The plan', ', or change to a larger plan']
  return new Fault(
    'quota_exceeded',
    `${who} allows ${written(allowed)}, and ${used} ${have === 1 ? 'is' : 'are'} used. ${wayOut}${orElse}.`,
  )
}

const inUnits = (what: keyof Allowances, amount: number): string =>
  what.endsWith('Bytes') ? formatBytes(amount) : what.endsWith('Cents') ? inEuros(amount) : String(amount)

function counted(noun: string): (amount: number) => string {
  return amount => `${amount} ${noun}`
}

/** `€19.99` */
export const inEuros = (cents: number): string => `€${(cents / 100).toFixed(2)}`
