// Conditional requests (RFC 9110, 13): which of the answers 200, 304 and 412 the validators call for.
import type { IncomingHttpHeaders } from 'node:http'
import { readHttpDate } from '../lib/http-date.ts'

export interface Validators {
  /** Strong, quotes included. */
  etag: string
  /** Milliseconds, of a whole second. */
  modified: number
}

export type Verdict = 'proceed' | 'not-modified' | 'precondition-failed'

/** In the order of precedence of section 13.2.2; for GET and HEAD. */
export function evaluateConditions(headers: IncomingHttpHeaders, validators: Validators): Verdict {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) {
    if (!lists(ifMatch, validators.etag, 'strong')) return 'precondition-failed'
  } else {
    const since = readHttpDate(headers['if-unmodified-since'])
    if (since !== undefined && validators.modified > since) return 'precondition-failed'
  }
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    return lists(ifNoneMatch, validators.etag, 'weak') ? 'not-modified' : 'proceed'
  }
  const since = readHttpDate(headers['if-modified-since'])
  return since !== undefined && validators.modified <= since ? 'not-modified' : 'proceed'
}

/** Whether a Range may be answered: there is no If-Range, or it names exactly what would be sent. */
export function allowsRange(ifRange: string | undefined, validators: Validators): boolean {
  if (ifRange === undefined) return true
  if (ifRange.includes('"')) return ifRange.trim() === validators.etag
  return readHttpDate(ifRange) === validators.modified
}

function lists(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true
  let at = 0
  for (;;) {
    const start = header.indexOf('"', at)
    const end = start < 0 ? -1 : header.indexOf('"', start + 1)
    if (end < 0) return false
    const mark = header.slice(at, start).replace(',', '').trim()
    at = end + 1
    if (header.slice(start, at) !== etag) continue
    // The mark of a weak tag is case-sensitive, and anything else before a tag is no syntax.
    if (mark === '' || (mark === 'W/' && comparison === 'weak')) return true
  }
}
