// Looks up the addresses of a name: with the resolver of the system, which reads the hosts file too, or with configured DNS
// servers.
import { lookup } from 'node:dns/promises'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { AddressLookup, Dns } from './port.ts'

const timeLimitMs = 4_000

/**
 * Node runs few lookups of the system's resolver at a time, and connections to the database and the storage need them too. A
 * customer's slow DNS servers must not block these. So this function uses the system's resolver for one name at a time. While
 * it is busy, other lookups ask the DNS servers directly first.
 */
export function addressLookup(dns: Dns, hasOwnServers: boolean): AddressLookup {
  let underWay: Promise<unknown> | undefined

  async function askServers(name: string): Promise<string[]> {
    const { a, aaaa } = await dns.records(name)
    return [...a, ...aaaa]
  }

  async function askSystem(name: string, end: number): Promise<string[]> {
    while (underWay) await underWay
    // The caller's time is over. A lookup now would only delay others.
    if (Date.now() >= end) return []
    const asking = systemAddresses(name)
    underWay = asking.then(
      () => (underWay = undefined),
      () => (underWay = undefined),
    )
    return await asking
  }

  async function find(name: string, end: number): Promise<string[]> {
    if (hasOwnServers) return await askServers(name)
    const found = underWay ? await askServers(name).catch(() => []) : [] // If nothing is found, ask the system next.
    return found.length > 0 ? found : await askSystem(name, end)
  }

  return async name => {
    const words = `no DNS server answers for ${name}`
    try {
      return await withTimeLimit(find(name, Date.now() + timeLimitMs), timeLimitMs, words)
    } catch (cause) {
      throw new Error(words, { cause })
    }
  }
}

async function systemAddresses(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []
    throw error
  }
}
