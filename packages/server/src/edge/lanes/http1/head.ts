// Reads the head of an HTTP/1.1 request. It accepts only heads that every HTTP server interprets in the same way. All
// other heads are left to node:http, which has a full parser.

import { FieldNames } from '../../../lib/field-names.ts'
import { pictureField } from '../../../lib/platform-fields.ts'
import { trimmed } from '../../../lib/raw-headers.ts'

/** A whole head, of a request whose length is known. */
export interface Head {
  method: string
  /** Path and query, exactly as the client sent them. */
  target: string
  /** Empty if the request has no Host header. */
  host: string
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
  /** All header fields, one per line. */
  fields: string
  /** What the access log needs of `fields`, if it was read already. */
  loggedFields: string | undefined
  /** The fields that an app receives, but for the id of the request, if they were made already. */
  appFields: string | undefined
  /** Whether the lane may answer the request from memory: a GET or HEAD that is passable. */
  isPlain: boolean
  /**
   * Whether the lane may pass the request to an app. False without a Host, for a GET or HEAD with a length, and if a field
   * has to be handled by node:http, such as Range.
   */
  isPassable: boolean
  /** The length of the head, in bytes. */
  length: number
  /** The length of the body that follows the head. 0 if there is none. */
  bodyBytes: number
}

/** Returns the bytes of a head, exactly as the client sent them. */
export const bytesOfHead = ({ method, target, fields }: Head): Buffer =>
  Buffer.from(`${method} ${target} HTTP/1.1\r\n${fields}\r\n`, 'latin1')

/** Returns the same head with another length of the body. */
export function withBodyBytes(head: Head, bodyBytes: number): Head {
  const fields = head.fields.replace(lengthField, `Content-Length: ${bodyBytes}\r\n`)
  const length = head.length + fields.length - head.fields.length
  return { ...head, fields, length, bodyBytes }
}

const lengthField = /^content-length:.*\r\n/im

/**
 * The head, or why it was not read. `incomplete`: the end of the head has not come yet. `unclear`: only a full parser
 * can say what the head means, or where the request ends.
 */
export type HeadReading = Head | 'incomplete' | 'unclear'

/**
 * Matches one whole head at `lastIndex`. Each name is a token right before its colon, lines end in CRLF, and no line
 * continues the one before. The target is a path without `#`.
 */
const shape =
  /(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[!"$-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)+)\r\n/y

/**
 * The longest head that the lane reads, in bytes. Within this length a head cannot reach node:http's limit of 2,000
 * header fields, since a field takes at least four bytes.
 */
export const longestHead = 7 * 1024

/**
 * What `readFields` does with a header field. `ordinary`: node:http has to answer the request. `unclear`: the whole
 * head is `unclear`.
 */
type Meaning =
  | 'host'
  | 'acceptEncoding'
  | 'ifNoneMatch'
  | 'ifModifiedSince'
  | 'connection'
  | 'length'
  | 'ordinary'
  | 'unclear'

/** Fields that are not listed here do not matter to the lane. */
const names = new FieldNames<Meaning>(
  new Map([
    ['host', 'host'],
    ['accept-encoding', 'acceptEncoding'],
    ['if-none-match', 'ifNoneMatch'],
    ['if-modified-since', 'ifModifiedSince'],
    ['connection', 'connection'],
    ['content-length', 'length'],
    ['range', 'ordinary'],
    ['if-range', 'ordinary'],
    ['if-match', 'ordinary'],
    ['if-unmodified-since', 'ordinary'],
    ['te', 'ordinary'],
    ['trailer', 'ordinary'],
    [pictureField, 'ordinary'],
    ['transfer-encoding', 'unclear'],
    ['expect', 'unclear'],
    ['upgrade', 'unclear'],
    ['http2-settings', 'unclear'],
    ['proxy-connection', 'unclear'],
  ]),
)

/** Reads the head that begins at `at`. A head of more than `longest` bytes is `unclear`. */
export function readHead(text: string, at: number, longest = longestHead): HeadReading {
  shape.lastIndex = at
  const match = shape.exec(text)
  if (match === null)
    return text.indexOf('\r\n\r\n', at) < 0 && text.length - at < longest ? 'incomplete' : 'unclear'
  const length = shape.lastIndex - at
  if (length > longest) return 'unclear'
  const method = match[1]!
  const head: Head = {
    method,
    target: match[2]!,
    host: '',
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    fields: match[3]!,
    loggedFields: undefined,
    appFields: undefined,
    isPlain: false,
    isPassable: true,
    length,
    bodyBytes: 0,
  }
  return readFields(head) ? head : 'unclear'
}

/**
 * Sets the properties of `head` that depend on its fields. Returns false if only a full parser can say what the
 * fields mean, or where the request ends.
 */
function readFields(head: Head): boolean {
  const { fields } = head
  let hasLength = false
  for (let at = 0; at < fields.length; ) {
    const colon = fields.indexOf(':', at)
    const end = fields.indexOf('\r', colon)
    const start = at
    at = end + 2
    const meaning = names.find(fields, start, colon)
    if (meaning === undefined) continue
    const value = trimmed(fields, colon + 1, end)
    if (meaning === 'unclear') return false
    if (meaning === 'ordinary') head.isPassable = false
    else if (meaning === 'connection') {
      const option = value.toLowerCase()
      if (option === 'close') head.isPassable = false
      else if (option !== 'keep-alive') return false
    } else if (meaning === 'length') {
      if (hasLength || !/^\d{1,15}$/.test(value)) return false
      hasLength = true
      head.bodyBytes = Number(value)
      // node:http passes leading zeros on as they are.
      if (value !== String(head.bodyBytes)) head.isPassable = false
    } else if (meaning === 'host') {
      if (head.host !== '') return false
      head.host = value
    } else if (head[meaning] === undefined) head[meaning] = value
    else head.isPassable = false
  }
  const isReading = head.method === 'GET' || head.method === 'HEAD'
  head.isPassable &&= head.host !== '' && !(isReading && hasLength)
  head.isPlain = head.isPassable && isReading
  return true
}
