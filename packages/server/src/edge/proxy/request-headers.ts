// The header fields that an app receives. They are those of the client, without hop-by-hop fields and the platform's
// own cookies. The platform sets Host, Content-Length, Transfer-Encoding and X-Forwarded-* itself.
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { hopByHop } from '../../lib/hop-by-hop.ts'
import { peerField, pictureField, requestIdField } from '../../lib/platform-fields.ts'
import { headersWithout } from '../../lib/raw-headers.ts'
import type { Exchange } from '../exchange.ts'
import { type Forwarded, isWrittenByProxies } from './forwarded.ts'

/** Matches the cookie that the gate sets for visitors of protected sites. Apps must not see it. */
const ownCookies = /^(?:__Host-)?svc-visit=/

/** Methods whose requests usually have a body. A request without a body then gets `Content-Length: 0`. */
export const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

interface AppRequest {
  /** Names and values in turn. */
  headers: string[]
  hasBody: boolean
}

export function requestHeaders(exchange: Exchange, forwarded: Forwarded): AppRequest {
  const { req, host = '' } = exchange
  const { rawHeaders } = req
  const isHop = hopByHop(rawHeaders)
  const headers = ['Host', host]
  const cookies: string[] = []
  // By hand: every request to an app comes through here, and one pass copies, joins and leaves out fields.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const lower = name.toLowerCase()
    if (isReplaced(lower) || isHop(lower) || isWrittenByProxies(lower)) continue
    // An HTTP/2 client may send cookies in several fields. HTTP/1 allows only one Cookie field.
    if (lower === 'cookie') cookies.push(...othersOf(rawHeaders[i + 1]!))
    else headers.push(name, rawHeaders[i + 1]!)
  }
  if (cookies.length > 0) headers.push('Cookie', cookies.join('; '))
  headers.push('X-Forwarded-For', forwarded.for)
  headers.push('X-Forwarded-Proto', forwarded.proto)
  headers.push('X-Forwarded-Host', forwarded.host)
  headers.push(requestIdField, exchange.requestId)
  return { headers, hasBody: addFraming(req, headers) }
}

/**
 * Whether the field is not copied from the client's request. Host and Content-Length are set from the parsed request,
 * because the app's parser could read the raw fields differently.
 */
const isReplaced = (name: string): boolean =>
  replacedFields.has(name) || name.charCodeAt(0) === 58 /* a pseudo header of HTTP/2 */

/** Fields that the platform sets itself, and Trailer: apps receive no trailers, and node:http refuses Trailer with a length. */
export const replacedFields: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'trailer',
  requestIdField.toLowerCase(),
  peerField.toLowerCase(),
  pictureField,
])

export const hasBody = (req: IncomingMessage): boolean => addFraming(req, [])

/**
 * Adds Content-Length or Transfer-Encoding to `headers` if the request needs one. Returns whether the request has a
 * body.
 */
export function addFraming(req: IncomingMessage, headers: string[]): boolean {
  const length = req.headers['content-length']
  if (req.headers['transfer-encoding'] !== undefined || (length === undefined && mayStreamBody(req))) {
    headers.push('Transfer-Encoding', 'chunked')
    return true
  }
  if (length !== undefined) headers.push('Content-Length', length)
  else if (methodsWithBody.has(req.method!)) headers.push('Content-Length', '0')
  return length !== undefined && length !== '0'
}

/**
 * Whether an HTTP/2 request may have a body although it has no Content-Length: its stream did not end with the headers.
 */
const mayStreamBody = (req: IncomingMessage): boolean =>
  req.httpVersionMajor === 2 && !(req as unknown as Http2ServerRequest).stream.endAfterHeaders

export const mayHaveOwnCookies = (cookies: string): boolean => cookies.includes('svc-visit=')

/** Returns the cookies without those of the platform. */
function othersOf(cookies: string): string[] {
  if (!mayHaveOwnCookies(cookies)) return [cookies]
  return cookies
    .split(';')
    .map(cookie => cookie.trim())
    .filter(cookie => !ownCookies.test(cookie))
}

const conditions = new Set([
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
])

export const withoutConditions = (headers: readonly string[]): string[] =>
  headersWithout(headers, name => conditions.has(name))
