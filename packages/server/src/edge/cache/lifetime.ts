// Whether an app's answer may be kept by a cache that all visitors share, and for how long (RFC 9111). Only answers
// that offer themselves are kept: nothing is guessed.
import { readHttpDate } from '../../lib/http-date.ts'
import { type Directives, readCacheControl, readTargeted } from './directives.ts'
import { fieldIn, linesIn, membersIn } from './fields.ts'

export interface Lifetime {
  /** When the answer came, in milliseconds. */
  readonly since: number
  /** Seconds. The age that it had by then. */
  readonly age: number
  /** Seconds until it is stale, counted from an age of 0. */
  readonly fresh: number
  /** Seconds after that in which it may be sent while a new one is fetched. */
  readonly whileRevalidate: number
  /** Seconds after that in which it may be sent because the app fails. */
  readonly ifError: number
}

export interface Reply {
  status: number
  /** Names and values in turn. */
  headers: readonly string[]
}

/**
 * Final statuses that say something about the resource. Other errors say something about one request or one moment:
 * if they were kept, a visitor could break a page for everybody with a request that the app refuses.
 */
const kept = new Set([200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501])

/** Undefined if the answer must not be kept. `isPersonal`: the request carried credentials. */
export function lifetimeOf(
  { status, headers }: Reply,
  { isPersonal, now }: { isPersonal: boolean; now: number },
): Lifetime | undefined {
  const targeted = readTargeted(linesIn(headers, 'cdn-cache-control').join(', '))
  const directives = targeted ?? readCacheControl(linesIn(headers, 'cache-control').join(', '))
  const expires = targeted === undefined ? linesIn(headers, 'expires') : []
  if (!kept.has(status) || !isForAnybody(headers)) return undefined
  if (directives.has('no-store') || directives.has('private')) return undefined
  if (isPersonal && !['public', 's-maxage', 'must-revalidate'].some(directives.has, directives))
    return undefined
  if (!isOffered(directives, targeted !== undefined, expires.length > 0)) return undefined
  const date = readHttpDate(fieldIn(headers, 'date'), now) ?? now
  return {
    since: now,
    age: Math.max(secondsBetween(date, now), ageSaid(headers)),
    fresh: freshFor(directives, expires, date),
    whileRevalidate: staleWhileRevalidate(directives),
    ifError: mustRevalidate(directives) ? 0 : (directives.seconds('stale-if-error') ?? 0),
  }
}

function isForAnybody(headers: readonly string[]): boolean {
  if (fieldIn(headers, 'set-cookie') !== undefined || membersIn(headers, 'vary').includes('*')) return false
  // It has no end that others could wait for.
  return !/^text\/event-stream\b/i.test(fieldIn(headers, 'content-type') ?? '')
}

/** `CDN-Cache-Control` speaks to shared caches alone; in `Cache-Control` a `max-age` may be meant for browsers. */
function isOffered(directives: Directives, isTargeted: boolean, expires: boolean): boolean {
  if (directives.has('s-maxage') || directives.has('stale-while-revalidate')) return true
  if (isTargeted) return directives.has('max-age')
  return directives.has('public') && (directives.has('max-age') || expires)
}

function freshFor(directives: Directives, expires: string[], date: number): number {
  if (directives.has('no-cache')) return 0
  const said = directives.seconds('s-maxage') ?? directives.seconds('max-age')
  if (said !== undefined) return said
  // Several, or one that is not a date, mean that it is stale already.
  const until = expires.length === 1 ? readHttpDate(expires[0], date) : undefined
  return until === undefined ? 0 : Math.max(0, (until - date) / 1000)
}

/** Dates have whole seconds: a difference of one may be none. */
function secondsBetween(date: number, now: number): number {
  const seconds = Math.floor((now - date) / 1000)
  return seconds > 1 ? seconds : 0
}

/** Of a list the first member counts; what is not a number is ignored (RFC 9111, 5.1). */
function ageSaid(headers: readonly string[]): number {
  const [first = ''] = membersIn(headers, 'age')
  return /^\d+$/.test(first) ? Number(first) : 0
}

const forEver = 31_536_000

function staleWhileRevalidate(directives: Directives): number {
  if (mustRevalidate(directives)) return 0
  // Next.js writes it without a number, and means for ever.
  if (directives.isBare('stale-while-revalidate')) return forEver
  return directives.seconds('stale-while-revalidate') ?? 0
}

const mustRevalidate = (directives: Directives): boolean =>
  ['must-revalidate', 'proxy-revalidate', 'no-cache'].some(directives.has, directives)
