// The header fields that an app receives: those of the client, without hop-by-hop fields and the platform's own cookies,
// and with Content-Length, Transfer-Encoding and X-Forwarded-* as the platform sets them.
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { headersWithout } from '../../lib/raw-headers.ts'
import { type Exchange, requestIdField } from '../exchange.ts'
import { type Forwarded, isWrittenByProxies } from './forwarded.ts'
import { hopByHop } from './hop-by-hop.ts'

/** Cookies of the platform's gate. Apps must not see them. */
const ownCookies = /^(?:__Host-)?svc-visit=/

/** Methods whose requests usually have a body. Without one they get `Content-Length: 0`. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

interface AppRequest {
  /** Names and values in turn, in the order of the request. */
  headers: string[]
  hasBody: boolean
}

export function requestHeaders(exchange: Exchange, forwarded: Forwarded): AppRequest {
  const { req, host = '' } = exchange
  const { rawHeaders } = req
  const isHop = hopByHop(rawHeaders)
  const headers = ['Host', host]
  const cookies: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const lower = name.toLowerCase()
    if (isReplaced(lower) || isHop(lower) || isWrittenByProxies(lower)) continue
    // HTTP/2 may send cookies in several fields. HTTP/1 needs one.
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

/** These fields are set from the parsed request, never copied: another parser may read the raw bytes differently. */
const isReplaced = (name: string): boolean =>
  replaced.has(name) || name.charCodeAt(0) === 58 /* a pseudo header of HTTP/2 */

const replaced = new Set(['host', 'content-length', requestIdField.toLowerCase()])

export const hasBody = (req: IncomingMessage): boolean => addFraming(req, [])

/** Adds Content-Length or Transfer-Encoding. Returns whether the request has a body. */
export function addFraming(req: IncomingMessage, headers: string[]): boolean {
  const length = req.headers['content-length']
  if (req.headers['transfer-encoding'] !== undefined || (length === undefined && mayStreamBody(req))) {
    headers.push('Transfer-Encoding', 'chunked')
    return true
  }
  if (length !== undefined) headers.push('Content-Length', length)
  else if (withBody.has(req.method!)) headers.push('Content-Length', '0')
  return length !== undefined && length !== '0'
}

/** An HTTP/2 request without Content-Length has a body unless the stream ended with the headers. */
const mayStreamBody = (req: IncomingMessage): boolean =>
  req.httpVersionMajor === 2 && !(req as unknown as Http2ServerRequest).stream.endAfterHeaders

function othersOf(cookies: string): string[] {
  if (!cookies.includes('svc-visit=')) return [cookies]
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
