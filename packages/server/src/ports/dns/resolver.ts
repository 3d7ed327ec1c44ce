// Queries the DNS servers of the system, or configured ones.
import { Resolver } from 'node:dns/promises'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Dns } from './port.ts'

/** The timeout of one query to one server. */
const timeoutMs = 1_500
const tries = 2
/** The limit for all queries about one name. Aliases are followed one by one, and each may have slow servers. */
const timeLimitMs = 4_000
const longestAlias = 5
/** Errors which mean that there is no such record. */
const nothing = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME', 'EBADNAME', 'ESERVFAIL', 'EREFUSED'])

export function dnsResolver(servers: readonly string[]): Dns {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers.length > 0) resolver.setServers(servers)

  async function list<T>(look: Promise<T[]>): Promise<T[]> {
    try {
      return await look
    } catch (error) {
      if (nothing.has((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }

  async function aliases(name: string): Promise<string[]> {
    const found: string[] = []
    let from = name
    while (found.length < longestAlias) {
      const [to] = await list(resolver.resolveCname(from))
      if (to === undefined || found.includes(to)) break
      found.push(to.toLowerCase())
      from = to
    }
    return found
  }

  return {
    async records(name) {
      const asking = Promise.all([
        aliases(name),
        list(resolver.resolve4(name)),
        list(resolver.resolve6(name)),
      ])
      const [cname, a, aaaa] = await withTimeLimit(asking, timeLimitMs)
      return { cname, a: a.sort(), aaaa: aaaa.sort() }
    },
    async txt(name) {
      const found = await withTimeLimit(list(resolver.resolveTxt(name)), timeLimitMs)
      return found.map(parts => parts.join(''))
    },
  }
}
