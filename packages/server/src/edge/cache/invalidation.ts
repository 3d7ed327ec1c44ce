// Which paths an unsafe request invalidates in the cache (RFC 9111, 4.4).
import type { IncomingMessage } from 'node:http'
import type { SentRequest } from '../proxy/sent-request.ts'
import { inOriginForm, readTarget } from '../targets.ts'

/** Methods that change nothing. Every other method, including unknown ones, counts as unsafe. */
const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY'])

export const isSafe = (method: string): boolean => safe.has(method)

/**
 * Returns the paths that a request to `path` may have changed: `path` itself, and paths of the same origin in
 * `Location` and `Content-Location`. Returns none if the app answered with an error. `answer` is `undefined` if no
 * answer arrived.
 */
export function pathsChanged(
  request: SentRequest,
  path: string,
  answer: Pick<IncomingMessage, 'statusCode' | 'headers'> | undefined,
): Set<string> {
  if (answer === undefined) return new Set([path])
  if (answer.statusCode! >= 400) return new Set()
  const { location, 'content-location': contentLocation } = answer.headers
  const named = [location, contentLocation].map(value => pathOf(value, request))
  return new Set([path, ...named.filter(other => other !== undefined)])
}

/** Returns the path of a location. `undefined` if the location is missing, invalid or of another origin. */
function pathOf(location: string | undefined, { exchange, forwarded }: SentRequest): string | undefined {
  if (location === undefined) return undefined
  const path = inOriginForm(exchange.url) ?? '/'
  const [asked, seen] = [exchange.host, forwarded.host].map(name =>
    readUrl(`${forwarded.proto}://${name}${path}`),
  )
  const url = asked && readUrl(location, asked)
  if (url?.origin !== asked?.origin && url?.origin !== seen?.origin) return undefined
  return url && readTarget(url.pathname)?.path
}

const readUrl = (text: string, base?: URL): URL | undefined =>
  URL.canParse(text, base?.href) ? new URL(text, base) : undefined
