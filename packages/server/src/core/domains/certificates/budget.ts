// Limits the orders at the certificate authority, well below the limits of Let's Encrypt, so that a mistake never causes a
// lockout there.

import { hourMs, weekMs } from '@svc/contract/durations'
import { getDomain } from 'tldts'
import { randomText } from '../../../lib/ids.ts'
import { insertOrder, lockOrders, type OrderScope, ordersSince } from '../../../store/domains/certificates.ts'
import type { Rows } from '../../base/platform.ts'

interface Allowance {
  of: 'platform' | 'registered domain' | 'name'
  orders: number
  per: number
  words: string
}

/** Let's Encrypt allows 300 orders in 3 hours, 50 certificates a week per registered domain, 5 alike, 5 failures an hour. */
const allowances: readonly Allowance[] = [
  { of: 'platform', orders: 90, per: hourMs, words: '90 orders an hour on this platform' },
  { of: 'registered domain', orders: 40, per: weekMs, words: '40 orders a week for one registered domain' },
  { of: 'name', orders: 4, per: hourMs, words: '4 orders an hour for one name' },
  { of: 'name', orders: 10, per: weekMs, words: '10 orders a week for one name' },
]

export const longestPeriod = weekMs

/** Counts one order. If a limit is reached, returns which one and until when. */
export async function spendOrder(
  platform: Rows,
  name: string,
): Promise<{ words: string; until: number } | undefined> {
  const now = platform.clock.now()
  const registered = registeredDomain(name)
  const scopes: Record<Allowance['of'], OrderScope> = {
    platform: 'all',
    'registered domain': { registered },
    name: { name },
  }
  return await platform.store.transact(async tx => {
    await lockOrders(tx)
    for (const { of, orders, per, words } of allowances) {
      const recent = await ordersSince(tx, scopes[of], now - per, orders)
      const oldest = recent.at(-1)
      if (recent.length >= orders && oldest) return { words, until: oldest.ordered_at + per }
    }
    await insertOrder(tx, { id: randomText(16), name, registered, ordered_at: now })
    return undefined
  })
}

/** The registered domain by the public suffix list, which the authority uses, too. A public suffix is returned as it is. */
export function registeredDomain(name: string): string {
  const host = name.replace(/^\*\./, '')
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? host
}
