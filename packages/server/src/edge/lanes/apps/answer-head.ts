// Reads the head of an app's answer. It accepts only heads that every HTTP client interprets in the same way. node:http
// reads all others.

import { FieldNames, keepFields } from '../../../lib/field-names.ts'
import { hopByHopFields } from '../../../lib/hop-by-hop.ts'
import { reuseMsOf } from '../../../lib/keep-alive.ts'
import { droppedFields } from '../../../lib/platform-fields.ts'
import type { AnswerRules, UrlField } from '../sources.ts'

export interface AnswerHead {
  /** The length of the head, in bytes, with the empty line at its end. */
  headBytes: number
  status: number
  /** The status and the reason, as the app sent them. */
  statusLine: string
  /** The fields that the client receives, one per line. */
  fields: string
  /** The Content-Length. `undefined` if there is none. */
  length: number | undefined
  isChunked: boolean
  /** Whether the connection can be used for another request after this answer. */
  isReusable: boolean
  /** For how long, if the app announced a time. */
  reuseMs: number | undefined
  /** Whether the Content-Type is HTML. `undefined` if there is none. */
  isHtml: boolean | undefined
  /** Whether the edge compresses the answer for clients that accept it. */
  isCompressible: boolean
  /** Whether the answer names another URL, in Location or Content-Location. */
  hasLocation: boolean
  /** Whether a field holds a URL that may be the app's own. */
  hasUrl: boolean
  hasDate: boolean
  hasStrictTransport: boolean
  /** What the client received with the last answer that had this head. */
  sent: SentHead | undefined
  /** The head of the compressed answer, if one was made. */
  compressed: { readonly coding: string; readonly head: AnswerHead } | undefined
}

/** The fields of an answer that a client receives each time the app sends the same head. */
export interface SentHead {
  readonly deploymentId: string
  readonly connectionFields: string
  readonly lines: string
}

/**
 * Matches a status line with a reason, then header fields. A field name is a token, without a space before the colon. Every
 * line ends in CRLF, and no field continues on the next line. Statuses below 200 do not match: they are interim responses, and another head follows.
 */
const shape =
  /^HTTP\/1\.1 (([2-5]\d\d) [!-~][\t -~\x80-\xff]*)\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*)$/

/**
 * The longest head that the lane reads, in bytes. Within this length a head cannot reach node:http's limits, 16 KB and
 * 2,000 header fields.
 */
const longestAnswerHead = 7 * 1024

type Meaning =
  | 'drop'
  | 'unusual'
  | 'connection'
  | 'keepAlive'
  | 'length'
  | 'coding'
  | UrlField
  | 'type'
  | 'date'
  | 'strictTransport'

/** Fields that are not listed here are passed on. */
const names = new FieldNames<Meaning>(
  new Map<string, Meaning>([
    ...[...hopByHopFields, ...droppedFields].map(name => [name, 'drop'] as const),
    ['location', 'location'],
    ['content-location', 'content-location'],
    ['refresh', 'refresh'],
    ['upgrade', 'unusual'],
    ['trailer', 'unusual'],
    ['connection', 'connection'],
    ['keep-alive', 'keepAlive'],
    ['content-length', 'length'],
    ['transfer-encoding', 'coding'],
    ['content-type', 'type'],
    ['date', 'date'],
    ['strict-transport-security', 'strictTransport'],
  ]),
)

const find = (text: string, start: number, colon: number) => names.find(text, start, colon)

/** The head, or why it was not read. `unusual`: the ordinary way has to read it. */
export type AnswerHeadReading = AnswerHead | 'incomplete' | 'unusual'

const headEnd = Buffer.from('\r\n\r\n')

/** Reads the head with which `bytes` begin. */
export function readAnswerHead(bytes: Buffer, rules: AnswerRules): AnswerHeadReading {
  const end = bytes.indexOf(headEnd)
  if (end < 0 && bytes.length < longestAnswerHead) return 'incomplete'
  if (end < 0 || end > longestAnswerHead) return 'unusual'
  const match = shape.exec(bytes.toString('latin1', 0, end + 2))
  if (match === null) return 'unusual'
  const head: AnswerHead = {
    headBytes: end + headEnd.length,
    status: Number(match[2]),
    statusLine: match[1]!,
    fields: '',
    length: undefined,
    isChunked: false,
    isReusable: true,
    reuseMs: undefined,
    isHtml: undefined,
    isCompressible: false,
    hasLocation: false,
    hasUrl: false,
    hasDate: false,
    hasStrictTransport: false,
    sent: undefined,
    compressed: undefined,
  }
  let isUnusual = false
  head.fields = keepFields(match[3]!, find, (meaning, value) => {
    switch (meaning) {
      case 'length':
        if (head.length !== undefined || !/^\d{1,15}$/.test(value)) isUnusual = true
        head.length = Number(value)
        return true
      case 'coding':
        if (head.isChunked || value.toLowerCase() !== 'chunked') isUnusual = true
        head.isChunked = true
        return false
      case 'connection': {
        const option = value.toLowerCase()
        if (option === 'close') head.isReusable = false
        else if (option !== 'keep-alive') isUnusual = true
        return false
      }
      case 'keepAlive':
        head.reuseMs = reuseMsOf(value)
        if (head.reuseMs === 0) head.isReusable = false
        return false
      case 'location':
      case 'content-location':
      case 'refresh':
        if (rules.isOwnUrl(meaning, value)) isUnusual = true
        head.hasUrl = true
        head.hasLocation ||= meaning !== 'refresh'
        return true
      case 'type':
        head.isHtml = /^text\/html/i.test(value)
        return true
      case 'date':
        head.hasDate = true
        return true
      case 'strictTransport':
        head.hasStrictTransport = true
        return true
      case 'unusual':
        isUnusual = true
        return true
      case 'drop':
        return false
    }
  })
  const compressible =
    head.isHtml === undefined ? undefined : rules.compressibleFields(head.status, head.length, head.fields)
  if (compressible !== undefined) {
    head.isCompressible = true
    head.fields = compressible
  }
  return isUnusual || (head.isChunked && head.length !== undefined) ? 'unusual' : head
}
