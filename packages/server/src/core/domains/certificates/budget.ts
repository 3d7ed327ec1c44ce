// Limits the orders at the certificate authority, well below the limits of Let's Encrypt, so that a mistake never causes a
// lockout there. What visitors can cause is limited further, so that it never uses up what projects and the platform need.

import { hourMs, weekMs } from '@svc/contract/durations'
import { getDomain } from 'tldts'
import { randomText } from '../../../lib/ids.ts'
import {
  insertOrder,
  lockOrders,
  type OrderScope,
  ordersSince,
} from '../../../store/domains/certificate-orders.ts'
import type { Tx } from '../../../store/store.ts'
import type { CertificateKind, CertificateOrderRow } from '../../../store/tables.ts'
import type { Rows } from '../../base/platform.ts'

/** A name to be ordered. `owner` is the owner of its project, if it is a host of one. */
export interface OrderedName {
  name: string
  kind: CertificateKind
  owner: string | undefined
}

interface Allowance {
  /** What is counted for a name. `undefined`: the allowance does not concern it. */
  of(ordered: OrderedName): OrderScope | undefined
  orders: number
  per: number
  words: string
}

const ofName = ({ name }: OrderedName): OrderScope => ({ name })
const ofOwner = ({ owner }: OrderedName): OrderScope | undefined =>
  owner === undefined ? undefined : { owner }
const ofKinds =
  (...kinds: CertificateKind[]) =>
  ({ kind }: OrderedName): OrderScope | undefined =>
    kinds.includes(kind) ? { kinds } : undefined

const nameAllowances: readonly Allowance[] = [
  { of: ofName, orders: 4, per: hourMs, words: '4 orders an hour for one name' },
  { of: ofName, orders: 10, per: weekMs, words: '10 orders a week for one name' },
  { of: ofOwner, orders: 12, per: hourMs, words: '12 names an hour for one owner' },
  { of: ofOwner, orders: 60, per: weekMs, words: '60 names a week for one owner' },
]

/** Let's Encrypt allows 300 orders in 3 hours, 50 certificates a week per registered domain, 5 alike, 5 failures an hour. */
const orderAllowances: readonly Allowance[] = [
  { of: () => 'all', orders: 90, per: hourMs, words: '90 orders an hour on this platform' },
  {
    of: ({ name }) => ({ registered: registeredDomain(name) }),
    orders: 40,
    per: weekMs,
    words: '40 orders a week for one registered domain',
  },
  { of: ofKinds('project', 'demand'), orders: 35, per: weekMs, words: '35 orders a week for sites' },
  { of: ofKinds('demand'), orders: 4, per: hourMs, words: '4 orders an hour for previews' },
  { of: ofKinds('demand'), orders: 20, per: weekMs, words: '20 orders a week for previews' },
]

export const longestPeriod = weekMs

/** Which limit is reached, and until when. */
interface Spent {
  words: string
  until: number
}

/** An order of several names uses the budget of the most important one. */
const importance: readonly CertificateKind[] = ['domain', 'wildcard', 'platform', 'project', 'demand']
const byImportance = (a: OrderedName, b: OrderedName): number =>
  importance.indexOf(a.kind) - importance.indexOf(b.kind)

/** Counts one order of the names that are within their limits. Returns the others, each with its limit. */
export async function spendOrder(
  platform: Rows,
  names: readonly OrderedName[],
): Promise<ReadonlyMap<string, Spent>> {
  const now = platform.clock.now()
  return await platform.store.transact(async tx => {
    await lockOrders(tx)
    const refused = new Map<string, Spent>()
    const within: OrderedName[] = []
    for (const ordered of [...names].sort(byImportance)) {
      const beside = within.filter(({ owner }) => owner !== undefined && owner === ordered.owner).length
      const spent = await spentOf(tx, nameAllowances, ordered, now, beside)
      if (spent) refused.set(ordered.name, spent)
      else within.push(ordered)
    }
    const [first] = within
    if (first === undefined) return refused
    const spent = await spentOf(tx, orderAllowances, first, now)
    if (spent) for (const { name } of within) refused.set(name, spent)
    else await insertOrder(tx, within.map(rowOf(now)))
    return refused
  })
}

/** `beside`: how many names of the same owner are in this order already. */
async function spentOf(
  tx: Tx,
  allowances: readonly Allowance[],
  ordered: OrderedName,
  now: number,
  beside = 0,
): Promise<Spent | undefined> {
  for (const { of, orders, per, words } of allowances) {
    const scope = of(ordered)
    if (scope === undefined) continue
    const recent = await ordersSince(tx, scope, now - per, orders)
    const inThis = typeof scope === 'object' && 'owner' in scope ? beside : 0
    if (recent.length + inThis >= orders) return { words, until: (recent.at(-1)?.ordered_at ?? now) + per }
  }
  return undefined
}

const rowOf =
  (now: number) =>
  ({ name, kind, owner }: OrderedName, index: number): CertificateOrderRow => ({
    id: randomText(16),
    name,
    registered: registeredDomain(name),
    ordered_at: now,
    is_first: index === 0 ? 1 : 0,
    kind,
    owner_id: owner ?? null,
  })

/** The registered domain by the public suffix list, which the authority uses, too. A public suffix is returned as it is. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host
}
