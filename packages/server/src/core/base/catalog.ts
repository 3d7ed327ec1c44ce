// The catalog: the plans that customers can buy, their prices and allowances. It is a file that an operator can replace.
import type { LimitName } from '@svc/contract'
import { LineError, type Located, type LocatedObject, readLocatedJson } from '../../lib/located-json.ts'

/** What an owner may use. The owner is an account or an org. */
export interface Allowances {
  projects: number
  domains: number
  orgs: number
  /** Server apps that are never stopped. */
  readyApps: number
  /** Server apps that run at the same time, previews included. If one more starts, the least recently used app is stopped. */
  runningApps: number
  /** The size of the files of all deployments and shares. */
  storedBytes: number
  /** The size of all form submissions. */
  formBytes: number
  /** Bytes sent to visitors in a calendar month (UTC). Sites that exceed it are still served. */
  bandwidthBytes: number
  /** The minutes of Git builds in a calendar month (UTC). */
  buildMinutes: number
  /** The cost of requests to the AI gateway in a calendar month (UTC). */
  aiCreditCents: number
  /** Revoked tokens do not count. */
  tokens: number
  /** Expired shares do not count. */
  shares: number
  mailsPerDay: number
}

export interface Plan extends Allowances {
  id: string
  name: string
  /** The price of a month, without VAT. */
  priceCents: number
}

/** The plans by id, in the order of the file. The plan `free` always exists. */
export type Catalog = ReadonlyMap<string, Plan>

export const unlimited = Number.POSITIVE_INFINITY

/** The keys of a plan in the file and in the API, and what they set. */
export const allowanceKeys = {
  projects: 'projects',
  domains: 'domains',
  orgs: 'orgs',
  ready_apps: 'readyApps',
  running_apps: 'runningApps',
  stored_bytes: 'storedBytes',
  form_bytes: 'formBytes',
  bandwidth_bytes: 'bandwidthBytes',
  build_minutes: 'buildMinutes',
  ai_credit_cents: 'aiCreditCents',
  tokens: 'tokens',
  shares: 'shares',
  mails_per_day: 'mailsPerDay',
} as const satisfies Record<string, keyof Allowances>

/** The allowances that the operator can set for one owner, and for all where no plan says them. */
export type OwnerLimits = Pick<Allowances, (typeof allowanceKeys)[LimitName]>

const ownKeys = ['id', 'name', 'price_cents']
const planKeys = [...ownKeys, ...Object.keys(allowanceKeys)]
/** The smallest amount that payment providers charge, and a limit that catches typing errors. */
const prices = { min: 50, max: 100_000_00 }
const units: Record<string, number> = { MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** Throws a LineError. */
export function readCatalog(text: string): Catalog {
  const file = objectOf(readLocatedJson(text), 'the file must be an object with the list "plans"')
  const plans = file.get('plans')
  for (const [key, { line }] of file)
    if (key !== 'plans') throw new LineError(line, `'${key}' is not known here; the file holds "plans"`)
  if (!plans || !Array.isArray(plans.value))
    throw new LineError(plans?.line ?? 1, 'the list "plans" is missing')
  const catalog = new Map<string, Plan>()
  for (const entry of plans.value) {
    const plan = readPlan(entry)
    const taken = [...catalog.values()].find(({ id, name }) => id === plan.id || name === plan.name)
    if (taken)
      throw new LineError(
        entry.line,
        `a plan with the id '${taken.id}' or the name '${taken.name}' is there already`,
      )
    catalog.set(plan.id, plan)
  }
  if (!catalog.has('free')) throw new LineError(plans.line, `there must be a plan with the id 'free'`)
  return catalog
}

function readPlan(entry: Located): Plan {
  const fields = objectOf(entry, 'a plan must be an object')
  for (const [key, { line }] of fields)
    if (!planKeys.includes(key))
      throw new LineError(line, `'${key}' is not known; a plan has ${planKeys.join(', ')}`)
  const id = textOf(fields, 'id', entry.line)
  if (!/^[a-z0-9-]{1,40}$/.test(id))
    throw new LineError(fields.get('id')!.line, 'id must be 1 to 40 lower-case letters, digits and dashes')
  const allowances = Object.entries(allowanceKeys).map(([key, name]) => [
    name,
    amountOf(fields, key, entry.line),
  ])
  return {
    id,
    name: textOf(fields, 'name', entry.line),
    priceCents: priceOf(fields, id, entry.line),
    ...(Object.fromEntries(allowances) as unknown as Allowances),
  }
}

function objectOf({ line, value }: Located, problem: string): LocatedObject {
  if (!(value instanceof Map)) throw new LineError(line, problem)
  return value
}

function fieldOf(fields: LocatedObject, key: string, planLine: number): Located {
  const field = fields.get(key)
  if (!field) throw new LineError(planLine, `the plan has no '${key}'`)
  return field
}

function textOf(fields: LocatedObject, key: string, planLine: number): string {
  const { line, value } = fieldOf(fields, key, planLine)
  if (typeof value !== 'string' || value.trim() === '' || value.length > 100)
    throw new LineError(line, `${key} must be a text of 1 to 100 characters`)
  return value.trim()
}

function priceOf(fields: LocatedObject, id: string, planLine: number): number {
  const { line, value } = fieldOf(fields, 'price_cents', planLine)
  if (id === 'free') {
    if (value !== 0) throw new LineError(line, `price_cents of the plan 'free' must be 0`)
    return 0
  }
  if (!Number.isSafeInteger(value) || Number(value) < prices.min || Number(value) > prices.max)
    throw new LineError(line, `price_cents must be a whole number from ${prices.min} to ${prices.max}`)
  return Number(value)
}

/** A whole number; for bytes also a text such as "100 GB". `null` if there is no limit. */
function amountOf(fields: LocatedObject, key: string, planLine: number): number {
  const { line, value } = fieldOf(fields, key, planLine)
  if (value === null) return unlimited
  const isBytes = key.endsWith('_bytes')
  const [, count, unit] = (isBytes && typeof value === 'string' && /^(\d{1,9}) (MB|GB|TB)$/.exec(value)) || []
  const amount = count && unit ? Number(count) * units[unit]! : value
  if (!Number.isSafeInteger(amount) || Number(amount) < 0)
    throw new LineError(
      line,
      `${key} must be a whole number of 0 or more${isBytes ? ', a text such as "100 GB",' : ''} or null for no limit`,
    )
  return Number(amount)
}
