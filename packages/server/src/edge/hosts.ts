// Maps the host of a request to a part of the platform or to a site.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { reservedNames } from '@svc/contract/limits'
import { readLabel, type SiteTarget } from '../core/base/labels.ts'
import type { ownLabels } from '../core/base/own-hosts.ts'
import { detached } from '../lib/detached.ts'
import { valuesIn } from '../lib/raw-headers.ts'

export type Destination =
  | { to: 'api' | 'dashboard' | 'dashboard-redirect' | 'ai' | 'docs' | 'status' | 'unknown' }
  | SiteDestination

/** A site below the platform's domain, or the site of a custom domain. */
export type SiteDestination = { to: 'site'; target: SiteTarget } | { to: 'domain'; domain: string }

/** Whether it is a part of the platform itself, such as the API. */
export const isPlatform = ({ to }: Destination): boolean =>
  to !== 'site' && to !== 'domain' && to !== 'unknown'

export interface Hosts {
  /** Returns the destination of a request. `host` is the host that the request names, with its port if it has one. */
  find(host: string | undefined): Destination
  /** Where people report abuse of the platform: an email address or a URL. */
  readonly abuseContact?: string | undefined
}

const unknown: Destination = { to: 'unknown' }

const api: Destination = { to: 'api' }

/** The subdomains of the platform itself, and where they lead. */
const platform: Record<(typeof ownLabels)[number], Destination> = {
  api,
  app: { to: 'dashboard' },
  dashboard: { to: 'dashboard-redirect' },
  ai: { to: 'ai' },
  docs: { to: 'docs' },
  status: { to: 'status' },
}

const isOwn = (label: string): label is keyof typeof platform => Object.hasOwn(platform, label)

/** Matches host names that may be a custom domain. `Sites` reads from the database whether a site has this domain. */
const customDomain = /^(?=.{3,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/

/** The limit of the cache of destinations, because clients can send any Host header. A full cache is cleared. */
const entriesAtMost = 10_000
const longestHost = 300

export function createHosts(domain: string, abuseContact?: string): Hosts {
  const known = new Map<string, Destination>()
  return {
    abuseContact,
    find(host) {
      if (host === undefined || host.length > longestHost) return unknown
      const before = known.get(host)
      if (before !== undefined) return before
      // The cache must not keep the whole head of the request in memory.
      const own = detached(host)
      // `detached` is for Latin-1, and no valid host has other characters.
      if (own !== host) return unknown
      const destination = route(own, domain.toLowerCase())
      if (known.size >= entriesAtMost) known.clear()
      known.set(own, destination)
      return destination
    },
  }
}

function route(header: string, domain: string): Destination {
  const host = hostname(header)
  if (host === undefined) return unknown
  if (host === domain || isIP(host) !== 0) return api
  if (!host.endsWith(`.${domain}`)) return customDomain.test(host) ? { to: 'domain', domain: host } : unknown
  const label = host.slice(0, -domain.length - 1)
  if (isOwn(label)) return platform[label]
  if ((reservedNames as readonly string[]).includes(label)) return unknown
  const target = readLabel(label)
  return target === undefined ? unknown : { to: 'site', target }
}

/** Matches a host name or an IP address with an optional port. Percent-encoding is not allowed, since no DNS name has it. */
const hostForm = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._~!$&'()*+,;=-]+))(?::(\d{0,5}))?$/
const largestPort = 65_535

/** Returns the host without port, brackets and trailing dot, with names in lower case. `undefined` if it is not valid. */
export function hostname(header: string): string | undefined {
  const match = hostForm.exec(header)
  if (match === null || Number(match[3] ?? 0) > largestPort) return undefined
  if (match[1] !== undefined) return isIP(match[1]) === 6 ? match[1] : undefined
  return match[2]!.toLowerCase().replace(/\.$/, '')
}

/**
 * Returns the host of the target if it is an absolute URL (the Host header is then not read), else the value of the Host
 * header. Returns `undefined` if that header is missing or repeated.
 */
export function requestedHost(req: IncomingMessage): string | undefined {
  const url = req.url!
  if (url.charCodeAt(0) !== 47 /* / */) {
    const authority = /^https?:\/\/([^/?#]*)/i.exec(url)
    if (authority !== null) return authority[1]
  }
  const hosts = valuesIn(req.rawHeaders, 'host')
  return hosts.length === 1 ? hosts[0] : undefined
}
