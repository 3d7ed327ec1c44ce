// Whether a shared cache may store an app's answer, and for how long (RFC 9111). Only answers with explicit directives are
// stored. There is no heuristic freshness.
import { readHttpDate } from '../../lib/http-date.ts'
import { membersIn, valueIn, valuesIn } from '../../lib/raw-headers.ts'
import { type Directives, readCacheControl, readTargeted } from './directives.ts'

export interface Lifetime {
  /** The time when the answer arrived, in milliseconds since 1970. */
  readonly since: number
  /** The age that the answer had on arrival, in seconds. */
  readonly age: number
  /** The age at which the answer becomes stale, in seconds. */
  readonly fresh: number
  /** How long a stale answer may be sent while a new one is fetched (`stale-while-revalidate`), in seconds. */
  readonly whileRevalidate: number
  /** How long a stale answer may be sent if the app fails (`stale-if-error`), in seconds. */
  readonly ifError: number
}

interface Reply {
  status: number
  /** Names and values in turn. */
  headers: readonly string[]
}

/**
 * The statuses of answers that may be stored. Other errors depend on one request or one moment. If they were stored,
 * one visitor could break a page for everybody with a request that the app refuses.
 */
const kept = new Set([200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501])

/**
 * Returns how long the answer may be used, or `undefined` if it must not be stored. `isPersonal` means that the request
 * had an `Authorization` header.
 */
export function lifetimeOf(
  { status, headers }: Reply,
  { isPersonal, now }: { isPersonal: boolean; now: number },
): Lifetime | undefined {
  const targeted = readTargeted(valuesIn(headers, 'cdn-cache-control').join(', '))
  const directives = targeted ?? readCacheControl(valuesIn(headers, 'cache-control').join(', '))
  const expires = targeted === undefined ? valuesIn(headers, 'expires') : []
  if (!kept.has(status) || !isForAnybody(headers)) return undefined
  if (directives.has('no-store') || directives.has('private')) return undefined
  if (isPersonal && !['public', 's-maxage', 'must-revalidate'].some(directives.has, directives))
    return undefined
  if (!isOffered(directives, targeted !== undefined, expires.length > 0)) return undefined
  const date = readHttpDate(valueIn(headers, 'date'), now) ?? now
  const said = freshFor(directives, expires, date)
  const fresh = isOfNextCache(headers) ? Math.min(said, nextCacheSeconds) : said
  return {
    since: now,
    age: Math.max(secondsBetween(date, now), ageSaid(headers)),
    fresh,
    whileRevalidate: mustRevalidate(directives) ? 0 : said - fresh + staleWhileRevalidate(directives),
    ifError: mustRevalidate(directives) ? 0 : (directives.seconds('stale-if-error') ?? 0),
  }
}

/**
 * How long a page from the cache of Next.js is fresh at most. Next.js allows up to a year, but `revalidatePath` and
 * `revalidateTag` can replace the page at any time and tell no other cache. Then the edge sends the page while it asks for
 * a new one.
 */
const nextCacheSeconds = 10

const isOfNextCache = (headers: readonly string[]): boolean =>
  valueIn(headers, 'x-nextjs-cache') !== undefined

function isForAnybody(headers: readonly string[]): boolean {
  if (valueIn(headers, 'set-cookie') !== undefined || membersIn(headers, 'vary').includes('*')) return false
  // An event stream does not end. If it counted as cacheable, requests for the same URL would wait for its end.
  return !/^text\/event-stream\b/i.test(valueIn(headers, 'content-type') ?? '')
}

/**
 * Whether the directives allow a shared cache to store the answer. In `CDN-Cache-Control`, `max-age` is enough, because
 * the field is for shared caches only. In `Cache-Control`, a bare `max-age` may be meant for browsers.
 */
function isOffered(directives: Directives, isTargeted: boolean, expires: boolean): boolean {
  if (directives.has('s-maxage') || directives.has('stale-while-revalidate')) return true
  if (isTargeted) return directives.has('max-age')
  return directives.has('public') && (directives.has('max-age') || expires)
}

function freshFor(directives: Directives, expires: string[], date: number): number {
  if (directives.has('no-cache')) return 0
  const said = directives.seconds('s-maxage') ?? directives.seconds('max-age')
  if (said !== undefined) return said
  // If `Expires` is repeated or not a date, the answer is already stale.
  const until = expires.length === 1 ? readHttpDate(expires[0], date) : undefined
  return until === undefined ? 0 : Math.max(0, (until - date) / 1000)
}

/**
 * Returns the seconds from `date` to `now`, or 0 if there is at most one. HTTP dates have whole seconds, so a
 * difference of one second may be a rounding error.
 */
function secondsBetween(date: number, now: number): number {
  const seconds = Math.floor((now - date) / 1000)
  return seconds > 1 ? seconds : 0
}

/**
 * Returns the value of the Age header, or 0 if it is missing or not a number. If the header is a list, its first member
 * counts (RFC 9111, 5.1).
 */
function ageSaid(headers: readonly string[]): number {
  const [first = ''] = membersIn(headers, 'age')
  return /^\d+$/.test(first) ? Number(first) : 0
}

/** One year, in seconds. */
const forEver = 31_536_000

function staleWhileRevalidate(directives: Directives): number {
  if (mustRevalidate(directives)) return 0
  // Next.js sends the directive without a number and means "for ever".
  if (directives.isBare('stale-while-revalidate')) return forEver
  return directives.seconds('stale-while-revalidate') ?? 0
}

const mustRevalidate = (directives: Directives): boolean =>
  ['must-revalidate', 'proxy-revalidate', 'no-cache'].some(directives.has, directives)
