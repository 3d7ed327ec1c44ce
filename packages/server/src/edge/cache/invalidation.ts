// Which cached pages an unsafe request invalidates (RFC 9111, 4.4).
import type { IncomingMessage } from 'node:http'
import type { SentRequest } from '../proxy/sent-request.ts'
import { inOriginForm, readTarget } from '../targets.ts'

/** Methods that change nothing. Every other method, including unknown ones, may change something. */
const safe = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY'])

export const isSafe = (method: string): boolean => safe.has(method)

/**
 * The page itself, and pages of the same origin that `Location` and `Content-Location` name. Empty if the app refused the
 * request. `answer` is `undefined` if the connection broke before the app answered.
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

/** `undefined` if the location has another origin. */
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
