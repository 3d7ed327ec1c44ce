// Conditional requests (RFC 9110, 13): whether the answer is 200, 304 or 412.
import type { IncomingHttpHeaders } from 'node:http'
import { readHttpDate } from '../lib/http-date.ts'

interface Validators {
  /** Strong, quotes included. */
  etag: string
  /** Milliseconds, of a whole second. */
  modified: number
}

type Verdict = 'proceed' | 'not-modified' | 'precondition-failed'

/** For GET and HEAD, in the order of precedence of section 13.2.2. */
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

/** Whether a Range applies: there is no If-Range, or it matches the current representation. */
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
    // `W/` is case-sensitive. Any other text before a tag is invalid.
    if (mark === '' || (mark === 'W/' && comparison === 'weak')) return true
  }
}
