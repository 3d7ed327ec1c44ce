// Turns answers into counts: bots, pageviews, countries, referrers.
import { hash } from 'node:crypto'
import { isbot } from 'isbot'
import { clientOf, countryFromProxy } from '../../lib/client-address.ts'
import { detached } from '../../lib/detached.ts'
import type { GeoIp } from '../../ports/geo/port.ts'
import type { StatsHourRow } from '../../store/tables.ts'
import { dayOf, hourOf } from '../base/periods.ts'
import type { Access } from './access.ts'
import { type Agent, agentOf } from './agents.ts'
import { combine } from './combined-views.ts'
import { type Fields, fieldReader } from './fields.ts'
import { cacheHits } from './request-metrics.ts'
import type { Tally } from './tally.ts'

export interface CounterParts {
  geo: GeoIp
  /** The secret salt of a day. It is deleted after the day. */
  saltOf(day: number): Promise<string>
  /** Whether addresses and countries reported by this peer are believed. */
  isTrusted(address: string): boolean
  /** The header in which trusted proxies name the country. */
  countryHeader: string | undefined
}

/** An answer with what is known about its visitor. */
interface Visit {
  access: Access
  fields: Fields
  address: string
  country: string
  salt: string
}

/** The code for an unknown country. */
const unknownCountry = 'XX'

const longestName = 512
const longestHostname = 253
const rememberedAtMost = 10_000
const visitorsAtMost = 100_000

export class Counter {
  readonly #parts: CounterParts
  readonly #read: (fields: string) => Fields
  /** What is known of user agents. `undefined` for bots. */
  readonly #agents = new Map<string, Agent | undefined>()
  readonly #countries = new Map<string, string>()
  readonly #hosts = new Map<string, string>()
  readonly #referrers = new Map<string, string | undefined>()
  /** Visitors of the day that this process has counted. */
  readonly #visitors = new Set<string>()
  #day = 0

  constructor(parts: CounterParts) {
    this.#parts = parts
    this.#read = fieldReader(parts.countryHeader)
    // The first calls compile a long regular expression. Do it now, not between two requests.
    for (const agent of ['one', 'two', 'three']) isbot(agent)
  }

  /** Does the asynchronous lookups and returns a function that counts everything at once. Throws if a salt is missing. */
  async read(accesses: readonly Access[]): Promise<(tally: Tally) => void> {
    const { isTrusted } = this.#parts
    const salts = new Map<number, string>()
    const visits: Visit[] = []
    for (const access of accesses) {
      const day = dayOf(access.at)
      const salt = salts.get(day) ?? (await this.#parts.saltOf(day))
      salts.set(day, salt)
      const fields = this.#read(access.fields)
      const address = clientOf(access.peer, fields.forwardedFor, isTrusted)
      const country =
        countryFromProxy(access.peer, fields.country, isTrusted) ??
        this.#countries.get(address) ??
        (await this.#locate(address))
      visits.push({ access, fields, address, country, salt })
    }
    return tally => {
      for (const visit of visits) {
        this.#countRequest(visit.access, tally, visit.country)
        const agent = this.#viewerOf(visit.access, visit.fields)
        if (agent) this.#countPageview(visit, agent, tally)
      }
    }
  }

  #countRequest(access: Access, tally: Tally, country: string): void {
    const { projectId, times, cache } = access
    const bytes = access.bytes * times
    const { row, lists } = tally.hour(projectId, hourOf(access.at))
    row.requests += times
    row.bytes += bytes
    row[statusClass(access.status)] += times
    if (cache !== undefined && cacheHits.has(cache)) row.cache_hits += times
    lists.add('cache', cache?.slice(0, 32) ?? 'NONE', times, bytes)
    lists.add('country', country, times, bytes)
    lists.add('host', this.#hostOf(access), times, bytes)
    lists.add('path', pathOf(access), times, bytes)
  }

  #countPageview({ access, fields, address, country, salt }: Visit, agent: Agent, tally: Tally): void {
    const { projectId, times, at } = access
    const [hour, day] = [hourOf(at), dayOf(at)]
    tally.hour(projectId, hour).row.pageviews += times
    const lists = tally.day(projectId, day)
    lists.add('view page', pathOf(access), times)
    lists.add('view country', country, times)
    lists.add('view browser', agent.browser, times)
    lists.add('view device', agent.device, times)
    lists.add('view system', agent.system, times)
    const site = this.#siteOf(fields.referrer)
    const referrer = site === withoutWww(this.#hostOf(access)) ? undefined : site
    if (referrer !== undefined) lists.add('view referrer', referrer, times)
    const combined = combine({ page: pathOf(access), referrer: referrer ?? '', country, ...agent })
    lists.add('view combined', combined, times)
    const who = [salt, projectId, address, fields.userAgent].join('\n')
    const visitor = hash('sha256', who, 'base64url').slice(0, 22)
    if (this.#isNew(visitor, day)) tally.addVisitor({ project_id: projectId, day, hour, hash: visitor })
  }

  /** Avoids a database lookup for visitors that this process has counted. */
  #isNew(visitor: string, day: number): boolean {
    if (day !== this.#day || this.#visitors.size >= visitorsAtMost) this.#visitors.clear()
    this.#day = day
    if (this.#visitors.has(visitor)) return false
    this.#visitors.add(visitor)
    return true
  }

  /** The browser of a pageview. `undefined` if the answer is not a page, or not for a person. */
  #viewerOf({ html, method, status }: Access, fields: Fields): Agent | undefined {
    const { userAgent, prefetch } = fields
    if (!html || method !== 'GET' || (status !== 200 && status !== 304) || prefetch) return undefined
    // The beginning of a long user agent is enough.
    const text = userAgent.length > longestName ? userAgent.slice(0, longestName) : userAgent
    const known = this.#agents.get(text)
    if (known || this.#agents.has(text)) return known
    const agent = isbot(text) ? undefined : agentOf(text)
    remember(this.#agents, text, agent)
    return agent
  }

  /** The hostname in lower case, without a port and without the dot of the DNS root. */
  #hostOf({ host }: Access): string {
    let name = this.#hosts.get(host)
    if (name === undefined) {
      name = host.toLowerCase().replace(/\.?(?::\d*)?$/, '')
      remember(this.#hosts, host, name)
    }
    return name
  }

  /** The site that a visitor came from. */
  #siteOf(referrer: string): string | undefined {
    if (referrer === '') return undefined
    let site = this.#referrers.get(referrer)
    if (site === undefined && !this.#referrers.has(referrer)) {
      site = siteOf(referrer)
      remember(this.#referrers, referrer, site)
    }
    return site
  }

  async #locate(address: string): Promise<string> {
    const found = (await this.#parts.geo.country(address)) ?? unknownCountry
    remember(this.#countries, address, found)
    return found
  }
}

function remember<V>(memory: Map<string, V>, key: string, value: V): void {
  if (key.length > longestName) return
  if (memory.size >= rememberedAtMost) memory.clear()
  memory.set(detached(key), value)
}

type StatusClass = Extract<keyof StatsHourRow, `status_${string}`>
const statusClasses: readonly StatusClass[] = ['status_2xx', 'status_3xx', 'status_4xx', 'status_5xx']
const statusClass = (status: number): StatusClass =>
  statusClasses[Math.floor(status / 100) - 2] ?? 'status_other'

/** The path without the query, which may contain anything, and without a host. */
export function pathOf({ target }: Pick<Access, 'target'>): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const end = path.indexOf('?')
  return (end < 0 ? path : path.slice(0, end)).slice(0, longestName) || '/'
}

/** Keeps only names that are possible in DNS, because a client may send any Referer. */
function siteOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined
  const { hostname } = new URL(address)
  return hostname === '' || hostname.length > longestHostname ? undefined : withoutWww(hostname)
}

const withoutWww = (hostname: string): string => hostname.replace(/^www\./, '')
