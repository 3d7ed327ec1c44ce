// Whether a domain has DNS records. A domain without them leads nowhere, so it is not shown as the URL of a site.
import { minuteMs, secondMs } from '@svc/contract/durations'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Dns } from '../../ports/dns/port.ts'
import type { Platform } from '../base/platform.ts'

/** Lists of projects ask for the same domains again and again. */
const rememberedMs = minuteMs
const rememberedAtMost = 10_000
/** The owner of a domain may have slow DNS servers. Lists do not wait for them. */
const waitMs = secondMs

interface Looked {
  at: number
  found: Promise<boolean>
}

const remembered = new WeakMap<Dns, Map<string, Looked>>()

/** True also if no DNS server answers in time: then nobody knows. */
export async function isResolvable(
  { dns, clock }: Pick<Platform, 'clock' | 'dns'>,
  domain: string,
): Promise<boolean> {
  const known = remembered.get(dns) ?? new Map<string, Looked>()
  remembered.set(dns, known)
  let looked = known.get(domain)
  if (looked === undefined || clock.now() - looked.at > rememberedMs) {
    if (known.size >= rememberedAtMost) known.clear()
    looked = { at: clock.now(), found: hasRecords(dns, domain).catch(() => true) }
    known.set(domain, looked)
  }
  return await withTimeLimit(looked.found, waitMs).catch(() => true)
}

async function hasRecords(dns: Dns, domain: string): Promise<boolean> {
  const { cname, a, aaaa } = await dns.records(domain)
  return cname.length + a.length + aaaa.length > 0
}
