// The head of a request as the app receives it from the lane. It has the same fields as `proxy/request-headers.ts` gives.

import { FieldNames, keepFields } from '../../lib/field-names.ts'
import { hopByHopFields } from '../../lib/hop-by-hop.ts'
import { requestIdField } from '../../lib/platform-fields.ts'
import { specialFields } from '../cache/cache-key.ts'
import type { Head } from '../lanes/lanes.ts'
import { type Forwarded, forwardedPrefix, proxyFields } from './forwarded.ts'
import { mayHaveOwnCookies, methodsWithBody, replacedFields } from './request-headers.ts'

/** `ordinary`: the ordinary way has to send the request. */
type Meaning = 'drop' | 'length' | 'cookie' | 'ordinary'

const names = new FieldNames<Meaning>(
  new Map<string, Meaning>([
    ...[...hopByHopFields, ...proxyFields, ...replacedFields].map(name => [name, 'drop'] as const),
    ...specialFields.map(name => [name, 'ordinary'] as const),
    ['cookie', 'cookie'],
    ['content-length', 'length'],
  ]),
)

/**
 * Returns the head for the app. `undefined` if the ordinary way has to send the request. The request must be
 * passable (`head.isPassable`), so its Connection field names no other fields.
 */
export function requestHead(head: Head, forwarded: Forwarded, requestId: string): string | undefined {
  head.appFields ??= appFields(head, forwarded)
  if (head.appFields === undefined) return undefined
  return `${head.method} ${head.target} HTTP/1.1\r\n${head.appFields}${requestIdField}: ${requestId}\r\n\r\n`
}

/** Returns the fields that the app receives. `undefined` if the ordinary way has to send the request. */
function appFields({ method, host, fields, bodyBytes }: Head, forwarded: Forwarded): string | undefined {
  let isOrdinary = false
  let hasCookie = false
  let hasLength = methodsWithBody.has(method)
  const kept = keepFields(fields, meaningOf, (meaning, value) => {
    if (meaning === 'drop') return false
    if (meaning === 'length') {
      hasLength = true
      return false
    }
    // The ordinary way joins several Cookie fields, and removes the platform's own cookies.
    if (meaning === 'ordinary' || hasCookie || mayHaveOwnCookies(value)) isOrdinary = true
    hasCookie = true
    return true
  })
  if (isOrdinary) return undefined
  const length = hasLength ? `Content-Length: ${bodyBytes}\r\n` : ''
  return `Host: ${host}\r\n${kept}${length}X-Forwarded-For: ${forwarded.for}\r\nX-Forwarded-Proto: ${forwarded.proto}\r\nX-Forwarded-Host: ${forwarded.host}\r\nConnection: keep-alive\r\n`
}

function meaningOf(text: string, start: number, colon: number): Meaning | undefined {
  const known = names.find(text, start, colon)
  if (known !== undefined || colon - start < forwardedPrefix.length) return known
  const isX = (text.charCodeAt(start) | 0x20) === 0x78
  if (!isX) return undefined
  const begin = text.slice(start, start + forwardedPrefix.length)
  return begin.toLowerCase() === forwardedPrefix ? 'drop' : undefined
}
