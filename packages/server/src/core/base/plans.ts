// The allowances of a plan. Only this file refuses requests that exceed them.
import type { LimitName } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Fault } from '../../lib/fault.ts'
import { type OwnLimits, ownLimitsOf } from '../../store/billing/owner-limits.ts'
import { findSubscription } from '../../store/billing/subscriptions.ts'
import type { Db } from '../../store/store.ts'
import type { SubscriptionRow } from '../../store/tables.ts'
import { type Allowances, allowanceKeys, type OwnerLimits, type Plan, unlimited } from './catalog.ts'
import type { PlanSettings, Platform } from './platform.ts'

const MB = 1024 * 1024
const GB = 1024 * MB

/** Limits without billing. They only protect the machine from a program that runs wild. */
const withoutBilling: Omit<Allowances, keyof OwnerLimits> = {
  domains: unlimited,
  formBytes: 20 * GB,
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
      ? [{ ...withoutBilling, ...settings.defaultLimits, name: 'Every account and org' }]
      : [...settings.catalog.values()]
  const keys = Object.keys(words) as (keyof Allowances)[]
  return plans.map(plan => ({
    plan: plan.name,
    limits: keys.filter(key => plan[key] !== unlimited).map(key => words[key].written(plan[key])),
  }))
}

/**
 * The allowances of an account or an org: those of its plan or of the settings, and the limits that the operator set for this
 * owner. The plan of an org counts, not those of its members.
 */
export async function allowancesOf(settings: PlanSettings, db: Db, ownerId: string): Promise<Allowances> {
  return { ...(await defaultsOf(settings, db, ownerId)), ...amountsOf(await ownLimitsOf(db, ownerId)) }
}

/** What the owner may use where the operator set no limit for it. */
export async function defaultsOf(settings: PlanSettings, db: Db, ownerId: string): Promise<Allowances> {
  if (settings.billing === 'off') return { ...withoutBilling, ...settings.defaultLimits }
  return await planOf(settings, db, ownerId)
}

/** A newer version of svcd may have set limits that this one does not know. */
function amountsOf(own: OwnLimits): Partial<Allowances> {
  const known = Object.entries(own).filter(([name]) => Object.hasOwn(allowanceKeys, name))
  return Object.fromEntries(
    known.map(([name, amount]) => [allowanceKeys[name as LimitName], amount ?? unlimited]),
  )
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

/**
 * Must be called in the transaction that adds something, after locking the owner's row. What the owner has is counted only
 * where there is a limit: that may take as long as the owner has projects.
 */
export async function requireRoom(
  platform: PlanSettings,
  db: Db,
  ownerId: string,
  what: keyof Allowances,
  counted: number | (() => Promise<number>),
  more = 1,
): Promise<void> {
  const own = amountsOf(await ownLimitsOf(db, ownerId))[what]
  const allowed = own ?? (await defaultsOf(platform, db, ownerId))[what]
  if (allowed === unlimited) return
  const have = typeof counted === 'number' ? counted : await counted()
  if (have + more <= allowed) return
  throw quotaExceeded(platform, what, { allowed, have, isOwn: own !== undefined })
}

export function quotaExceeded(
  { billing, defaultLimits }: Pick<Platform, 'billing' | 'defaultLimits'>,
  what: keyof Allowances,
  { allowed, have, isOwn = false }: { allowed: number; have: number; isOwn?: boolean },
): Fault {
  const { written, wayOut } = words[what]
  const used = inUnits(what, have)
  const orAsk = ', or ask the operator of this instance for more'
  const [who, orElse] = isOwn
    ? ['The operator', orAsk]
    : billing !== 'off'
      ? ['The plan', ', or change to a larger plan']
      : ['This instance', what in defaultLimits ? orAsk : '']
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
