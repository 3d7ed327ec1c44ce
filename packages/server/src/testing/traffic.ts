// Random traffic, and the stats of it, calculated directly from all requests. Tests compare them with the platform's.
import { dayMs, hourMs } from '@svc/contract/durations'
import type { Access } from '../core/stats/access.ts'

const browser = (version: number): string => `Mozilla/5.0 (X11; Linux x86_64) Firefox/${version}.0`

/** A random number generator with a seed (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Random requests of the last four days, unsorted. A few names are frequent, and many occur once. */
export function madeUpTraffic(projectId: string, now: number, entries: number, seed: number): Access[] {
  const random = numbers(seed)
  const pick = <T>(...from: T[]): T => from[random(from.length)]!
  return Array.from({ length: entries }, () => {
    const referrer = pick('', '', `https://www.site-${random(400)}.example/x`, 'https://a.example/own')
    const agent = pick(browser(random(5)), browser(random(5)), 'Googlebot/2.1', 'curl/8.0')
    const prefetch = random(10) === 0 ? 'Sec-Purpose: prefetch\r\n' : ''
    return {
      at: now - random(random(2) === 0 ? 2 * hourMs : 4 * dayMs),
      projectId,
      host: pick('a.example', 'A.EXAMPLE:8080', 'www.other.example', 'next--a.localhost'),
      method: pick('GET', 'GET', 'GET', 'HEAD', 'POST'),
      target: `/${random(random(3) === 0 ? 12 : 900)}${pick('', '?q=1')}`,
      status: pick(200, 200, 200, 304, 301, 404, 500, 101),
      bytes: random(5000),
      cache: pick('HIT', 'MISS', 'STALE', undefined),
      html: random(2) === 0,
      peer: `203.0.113.${random(40)}`,
      deploymentId: undefined,
      requestId: undefined,
      ms: undefined,
      fields: `X-Country: ${pick('NL', 'DE', 'BE', 'FR', 'AT', 'CH', 'PL', 'IT', 'ES', 'US')}\r\nUser-Agent: ${agent}\r\nReferer: ${referrer}\r\n${prefetch}`,
      times: 1 + random(3),
      source: 'static',
      taken: false,
    }
  })
}

const field = ({ fields }: Access, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(fields)?.[1]?.trim() ?? ''
const pathOf = ({ target }: Access): string => target.replace(/\?.*/, '')
const hostOf = ({ host }: Access): string => host.toLowerCase().replace(/:.*/, '')
const countryOf = (access: Access): string => field(access, 'X-Country')
const isHit = ({ cache }: Access): boolean => cache === 'HIT' || cache === 'STALE'
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const isView = (access: Access): boolean =>
  access.html &&
  access.method === 'GET' &&
  [200, 304].includes(access.status) &&
  /^Mozilla/.test(field(access, 'User-Agent')) &&
  field(access, 'Sec-Purpose') === ''

const requestsOf = (accesses: Access[]): number => accesses.reduce((sum, { times }) => sum + times, 0)
const bytesOf = (accesses: Access[]): number => accesses.reduce((sum, a) => sum + a.bytes * a.times, 0)
const traffic = (accesses: Access[]) => ({
  requests: requestsOf(accesses),
  bytes: bytesOf(accesses),
  cache_hits: requestsOf(accesses.filter(isHit)),
})

/** Counts requests by name, and sorts the names by their count, highest first. */
function ranked(accesses: Access[], nameOf: (access: Access) => string | undefined, atMost = 1000) {
  const groups = new Map<string, Access[]>()
  for (const access of accesses) {
    const name = nameOf(access)
    if (name !== undefined && name !== '') groups.set(name, [...(groups.get(name) ?? []), access])
  }
  return [...groups]
    .map(([name, of]) => ({ name, requests: requestsOf(of), bytes: bytesOf(of) }))
    .sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1))
    .slice(0, atMost)
}

export function liveStatsByHand(all: Access[], now: number, hours: number) {
  const from = now - (now % hourMs) - (hours - 1) * hourMs
  const within = all.filter(({ at }) => at >= from)
  const withStatus = (digit: number) =>
    requestsOf(within.filter(({ status }) => Math.floor(status / 100) === digit))
  return {
    from: new Date(from).toISOString(),
    totals: traffic(within),
    status: {
      '2xx': withStatus(2),
      '3xx': withStatus(3),
      '4xx': withStatus(4),
      '5xx': withStatus(5),
      other: withStatus(1),
    },
    cache: Object.fromEntries(
      ranked(within, ({ cache }) => cache ?? 'NONE').map(({ name, requests }) => [name, requests]),
    ),
    hostnames: ranked(within, hostOf).map(({ name, ...counts }) => ({ hostname: name, ...counts })),
    timeline: Array.from({ length: hours }, (_, i) => {
      const hour = from + i * hourMs
      const then = within.filter(({ at }) => at >= hour && at < hour + hourMs)
      return { hour: new Date(hour).toISOString(), ...traffic(then) }
    }),
    top_paths: ranked(within, pathOf, 10).map(({ name, ...counts }) => ({ path: name, ...counts })),
    top_countries: ranked(within, countryOf, 8).map(({ name, requests }) => ({ country: name, requests })),
    truncated: false,
  }
}

const daysTo = (now: number, days: number): number[] =>
  Array.from({ length: days }, (_, i) => now - (now % dayMs) - (days - 1 - i) * dayMs)
const onDay = (all: Access[], day: number): Access[] => all.filter(({ at }) => at >= day && at < day + dayMs)

export function historyByHand(all: Access[], now: number, days: number) {
  const dates = daysTo(now, days)
  return {
    from: dateOf(dates[0]!),
    to: dateOf(now),
    days,
    totals: traffic(all.filter(({ at }) => at >= dates[0]!)),
    timeline: dates.map(day => ({ day: dateOf(day), ...traffic(onDay(all, day)) })),
  }
}

export function audienceByHand(all: Access[], now: number, days: number) {
  const dates = daysTo(now, days)
  const views = all.filter(access => access.at >= dates[0]! && isView(access))
  const visitorsOf = (of: Access[]) =>
    new Set(of.map(access => `${access.peer} ${field(access, 'User-Agent')}`)).size
  const referrerOf = (access: Access) => {
    const site = /^https:\/\/(?:www\.)?([^/]*)/.exec(field(access, 'Referer'))?.[1]
    return site === hostOf(access) ? undefined : site
  }
  return {
    totals: { pageviews: requestsOf(views) },
    timeline: dates.map(day => {
      const then = onDay(views, day)
      return { day: dateOf(day), pageviews: requestsOf(then), visitors: visitorsOf(then) }
    }),
    top_pages: ranked(views, pathOf, 10).map(({ name, requests }) => ({ path: name, views: requests })),
    top_referrers: ranked(views, referrerOf, 10).map(({ name, requests }) => ({
      referrer: name,
      views: requests,
    })),
    top_countries: ranked(views, countryOf, 8).map(({ name, requests }) => ({
      country: name,
      views: requests,
    })),
  }
}
