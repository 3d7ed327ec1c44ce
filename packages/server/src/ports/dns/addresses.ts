// Where a name leads from this machine: as the system says, its hosts file included, or the DNS servers that are named.
import { lookup } from 'node:dns/promises'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { AddressLookup, Dns } from './port.ts'

const timeLimitMs = 4_000

export function addressLookup(dns: Dns, hasOwnServers: boolean): AddressLookup {
  // The system looks up few names at a time, whoever asks. Customers with slow DNS servers must not take all its places,
  // which the database and the storage may need: so one at a time, and everyone else asks the servers directly.
  let isAsking = false

  async function askSystem(name: string): Promise<string[]> {
    isAsking = true
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []
      throw error
    } finally {
      isAsking = false
    }
  }

  async function askServers(name: string): Promise<string[]> {
    const { a, aaaa } = await dns.records(name)
    return [...a, ...aaaa]
  }

  return async name => {
    const words = `no DNS server answers for ${name}`
    const asking = hasOwnServers || isAsking ? askServers(name) : askSystem(name)
    try {
      return await withTimeLimit(asking, timeLimitMs, words)
    } catch (cause) {
      throw new Error(words, { cause })
    }
  }
}
