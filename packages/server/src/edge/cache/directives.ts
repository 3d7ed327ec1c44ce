// What an app's answer says of being kept by a cache that many visitors share (RFC 9111). Only answers that say so
// themselves are kept: nothing is guessed.
import type { IncomingHttpHeaders } from 'node:http'

export interface Directives {
  readonly has: (name: string) => boolean
  /** Seconds; undefined where the directive is missing or no number. */
  readonly seconds: (name: string) => number | undefined
}

export function readDirectives(cacheControl: string | undefined): Directives {
  const values = new Map<string, string>()
  for (const part of cacheControl?.split(',') ?? []) {
    const [name = '', value = ''] = part.split('=', 2)
    values.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''))
  }
  return {
    has: name => values.has(name),
    seconds: name => {
      const value = values.get(name)
      return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
    },
  }
}

/** Words by which an answer offers itself to shared caches. */
export function isOffered(headers: IncomingHttpHeaders): boolean {
  const directives = readDirectives(headers['cache-control'])
  if (headers['set-cookie'] !== undefined || /(?:^|,)\s*\*/.test(headers.vary ?? '')) return false
  // It has no end that those who wait for the same could wait for.
  if (/^text\/event-stream\b/i.test(headers['content-type'] ?? '')) return false
  return (
    directives.has('s-maxage') ||
    (directives.has('public') && (directives.has('max-age') || headers.expires !== undefined)) ||
    directives.has('stale-while-revalidate')
  )
}

const forEver = 31_536_000

/** How long, in seconds after it became stale, an answer may be shown while it is fetched anew. */
export function staleWhileRevalidate(directives: Directives): number {
  if (mustRevalidate(directives)) return 0
  // Next.js writes it without a number, and means for ever.
  return (
    directives.seconds('stale-while-revalidate') ?? (directives.has('stale-while-revalidate') ? forEver : 0)
  )
}

export const staleIfError = (directives: Directives): number =>
  mustRevalidate(directives) ? 0 : (directives.seconds('stale-if-error') ?? 0)

const mustRevalidate = ({ has }: Directives): boolean =>
  has('must-revalidate') || has('proxy-revalidate') || has('no-cache')
