// Evaluates conditional requests (RFC 9110, 13).
import type { IncomingHttpHeaders } from 'node:http'
import { readHttpDate } from './http-date.ts'

interface Validators {
  /** A strong ETag, with its quotes. */
  etag: string
  /** When the file was last modified, in milliseconds, rounded down to a whole second. */
  modified: number
}

type Verdict = 'proceed' | 'not-modified' | 'precondition-failed'

/** Evaluates the conditions of a GET or HEAD request in the order that RFC 9110, 13.2.2 demands. */
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

/** Whether the Range header applies: the request has no If-Range header, or `ifRange` matches the validators. */
export function allowsRange(ifRange: string | undefined, validators: Validators): boolean {
  if (ifRange === undefined) return true
  if (ifRange.includes('"')) return ifRange.trim() === validators.etag
  return readHttpDate(ifRange) === validators.modified
}

function lists(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  // Most clients send back the one ETag that they have.
  if (header === etag || header.trim() === '*') return true
  let at = 0
  for (;;) {
    const start = header.indexOf('"', at)
    const end = start < 0 ? -1 : header.indexOf('"', start + 1)
    if (end < 0) return false
    const mark = header.slice(at, start).replace(',', '').trim()
    at = end + 1
    if (header.slice(start, at) !== etag) continue
    // `mark` is the text before the tag. Only `W/`, in this spelling, or no text is valid.
    if (mark === '' || (mark === 'W/' && comparison === 'weak')) return true
  }
}
