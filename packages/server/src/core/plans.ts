// What a plan allows, and whether there is room for more. The one place that refuses for lack of it.
import { Fault } from '../lib/fault.ts'
import type { Db } from '../store/store.ts'
import { findSubscription } from '../store/subscriptions.ts'
import type { Platform } from './platform.ts'

const MB = 1024 * 1024
const GB = 1024 * MB
const unlimited = Number.POSITIVE_INFINITY

/** Of one owner, which is an account or an org. */
export interface Allowances {
  projects: number
  domains: number
  orgs: number
  /** Server apps that are never stopped. */
  readyApps: number
  /** Server apps that run at the same time, previews included. Beyond it, the least recently used is stopped. */
  runningApps: number
  /** The files of all deployments and shares. */
  storedBytes: number
  /** What visitors sent to forms. */
  formBytes: number
  /** Unrevoked ones. */
  tokens: number
  /** Unexpired ones. */
  shares: number
  mailsPerDay: number
}

// biome-ignore format: a table
const catalog: Record<string, Allowances> = {
  free:     { projects: 50,    domains: 25,    orgs: 3,  readyApps: 0,  runningApps: 10,  storedBytes: 5 * GB,   formBytes: 250 * MB, tokens: 200,   shares: 100,   mailsPerDay: 200 },
  pro:      { projects: 250,   domains: 100,   orgs: 10, readyApps: 3,  runningApps: 30,  storedBytes: 50 * GB,  formBytes: 2 * GB,   tokens: 500,   shares: 300,   mailsPerDay: 2_000 },
  business: { projects: 2_000, domains: 1_000, orgs: 50, readyApps: 20, runningApps: 200, storedBytes: 500 * GB, formBytes: 20 * GB,  tokens: 2_000, shares: 1_000, mailsPerDay: 20_000 },
}

/** Without billing nothing is sold by the piece. What is left protects the machine from a program that runs wild. */
const withoutBilling: Omit<Allowances, 'readyApps'> = {
  projects: unlimited,
  domains: unlimited,
  orgs: unlimited,
  runningApps: unlimited,
  storedBytes: unlimited,
  formBytes: 20 * GB,
  tokens: 2_000,
  shares: 1_000,
  mailsPerDay: 20_000,
}

/** How a bound is written, and how to get below it. */
const words: Record<keyof Allowances, { written(amount: number): string; wayOut: string }> = {
  projects: { written: counted('projects'), wayOut: 'Delete one' },
  domains: { written: counted('domains'), wayOut: 'Detach one' },
  orgs: { written: counted('orgs'), wayOut: 'Delete one' },
  readyApps: { written: counted('kept-ready apps'), wayOut: 'Delete one' },
  runningApps: { written: counted('running apps'), wayOut: 'Wait until one stops' },
  storedBytes: {
    written: amount => `${inBytes(amount)} of stored deployments`,
    wayOut: "Delete old deployments with 'svc deployments rm <deployment-id>'",
  },
  formBytes: {
    written: amount => `${inBytes(amount)} of form submissions`,
    wayOut: "Delete old submissions with 'svc forms retention <form> <days>'",
  },
  tokens: { written: counted('tokens'), wayOut: 'Revoke one' },
  shares: { written: counted('shares'), wayOut: 'Delete one, or wait until one expires' },
  mailsPerDay: { written: counted('emails a day'), wayOut: 'Wait until tomorrow' },
}

export type PlanSettings = Pick<Platform, 'billing' | 'readyApps' | 'clock'>

/** Of an account or an org; an org's own plan, never a member's. */
export async function allowancesOf(settings: PlanSettings, db: Db, ownerId: string): Promise<Allowances> {
  if (settings.billing === 'off') return { ...withoutBilling, readyApps: settings.readyApps }
  const subscription = await findSubscription(db, ownerId)
  const active = subscription && subscription.period_end > settings.clock.now()
  return catalog[active ? subscription.plan : 'free'] ?? catalog.free!
}

/** Call it in the transaction that adds something, after taking the owner's row. */
export async function requireRoom(
  platform: Platform,
  db: Db,
  ownerId: string,
  what: keyof Allowances,
  have: number,
  more = 1,
): Promise<void> {
  const allowed = (await allowancesOf(platform, db, ownerId))[what]
  if (have + more > allowed) throw quotaExceeded(platform, what, { allowed, have })
}

function quotaExceeded(
  { billing }: Pick<Platform, 'billing'>,
  what: keyof Allowances,
  { allowed, have }: { allowed: number; have: number },
): Fault {
  const { written, wayOut } = words[what]
  const used = what.endsWith('Bytes') ? inBytes(have) : String(have)
  const [who, orElse] =
    billing === 'off' ? ['This instance', ''] : ['The plan', ', or change to a larger plan']
  return new Fault(
    'quota_exceeded',
    `${who} allows ${written(allowed)}, and ${used} ${have === 1 ? 'is' : 'are'} used. ${wayOut}${orElse}.`,
  )
}

function counted(noun: string): (amount: number) => string {
  return amount => `${amount} ${noun}`
}

const inBytes = (amount: number): string =>
  amount >= GB ? `${Number((amount / GB).toFixed(2))} GB` : `${Number((amount / MB).toFixed(1))} MB`
