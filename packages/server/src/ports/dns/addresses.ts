// Where a name leads from this machine: as the system says, its hosts file included, or the DNS servers that are named.
import { lookup } from 'node:dns/promises'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { AddressLookup, Dns } from './port.ts'

const timeLimitMs = 4_000

/**
 * The system looks up few names at a time, whoever asks. Customers with slow DNS servers must not take all its places,
 * which the database and the storage may need: so it is asked for one name at a time, and whoever would have to wait
 * asks the servers directly first.
 */
export function addressLookup(dns: Dns, hasOwnServers: boolean): AddressLookup {
  let underWay: Promise<unknown> | undefined

  async function askServers(name: string): Promise<string[]> {
    const { a, aaaa } = await dns.records(name)
    return [...a, ...aaaa]
  }

  async function askSystem(name: string, end: number): Promise<string[]> {
    while (underWay) await underWay
    // Whoever asked has gone: this would only keep others waiting.
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
    const found = underWay ? await askServers(name).catch(() => []) : [] // Then the system may know it.
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
