// Header fields in the form that HTTP/2 allows.
import type { OutgoingHttpHeaders } from 'node:http'
import { connectionFields } from './hop-by-hop.ts'

/** Fields that HTTP/2 forbids. */
export const ofConnection = new Set<string>(connectionFields)

type Value = number | string | string[]

/**
 * Returns the headers as an object, without the fields in `ofConnection`. The values of a repeated field are joined with
 * commas, except those of Set-Cookie.
 */
export function foldHeaders(given: unknown): OutgoingHttpHeaders {
  const pairs = Array.isArray(given) ? pairsOf(given) : Object.entries((given ?? {}) as Record<string, Value>)
  const headers: OutgoingHttpHeaders = {}
  for (const [written, value] of pairs) {
    const name = written.toLowerCase()
    if (ofConnection.has(name) || value === undefined) continue
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (name === 'set-cookie') headers[name] = [before, value].flat().map(String)
    else headers[name] = `${before}, ${value}`
  }
  return headers
}

function pairsOf(flat: readonly unknown[]): [string, Value][] {
  if (Array.isArray(flat[0])) return flat as [string, Value][]
  const pairs: [string, Value][] = []
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([String(flat[i]), flat[i + 1] as Value])
  return pairs
}
