// Reads the head of an HTTP/1.1 request. It reads only heads that every HTTP server reads the same way, byte for byte;
// the others are left to node:http, a full parser.

/** The head of a request whose length is beyond doubt. */
export interface Head {
  method: string
  /** Path and query as they were written. */
  target: string
  /** Empty if the request has no Host. */
  host: string
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
  /** All header fields, one a line. */
  fields: string
  /** Whether nothing in the head asks for more than a whole file or a 304. */
  isPlain: boolean
  /** Of the head. */
  length: number
  /** The length of the body that follows. */
  bodyBytes: number
}

/**
 * `incomplete`: the end of the head has not come yet. `unclear`: only a full parser can say what the head means, or where the
 * request ends.
 */
export type HeadReading = Head | 'incomplete' | 'unclear'

/**
 * One whole head. Names are tokens right before their colon, lines end in CRLF, and no line continues the one before. The target
 * is a path without `#`. Sticky: it matches where the last request ended.
 */
const shape =
  /(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[!"$-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)+)\r\n/y

/**
 * Longer heads are left to node:http. So no head reaches its limit of 2,000 header fields here: the shortest field takes four
 * bytes.
 */
export const longestHead = 7 * 1024

/**
 * What a header field does to the reading. `ordinary`: the length of the request stays clear, but node:http must answer it.
 * All other fields do nothing.
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

const meanings = new Map<string, Meaning>([
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
  ['transfer-encoding', 'unclear'],
  ['expect', 'unclear'],
  ['upgrade', 'unclear'],
  ['http2-settings', 'unclear'],
  ['proxy-connection', 'unclear'],
])

/** For each length of a name: the first letters of the names above, as bits. This skips most fields without a look-up. */
const firstLetters = new Uint32Array(32)
for (const name of meanings.keys()) firstLetters[name.length]! |= letterBit(name, 0)

function letterBit(text: string, at: number): number {
  return 1 << ((text.charCodeAt(at) | 0x20) - 0x61)
}

/** Reads the head that begins at `at`. `longest` is the most bytes that it may have. */
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
    isPlain: method === 'GET' || method === 'HEAD',
    length,
    bodyBytes: 0,
  }
  return readFields(head) ? head : 'unclear'
}

/** Returns false if the fields leave the length of the request in doubt. */
function readFields(head: Head): boolean {
  const { fields } = head
  let hasLength = false
  for (let at = 0; at < fields.length; ) {
    const colon = fields.indexOf(':', at)
    const end = fields.indexOf('\r', colon)
    const start = at
    at = end + 2
    if (((firstLetters[colon - start] ?? 0) & letterBit(fields, start)) === 0) continue
    const meaning = meanings.get(fields.slice(start, colon).toLowerCase())
    if (meaning === undefined) continue
    const value = trimmed(fields, colon + 1, end)
    if (meaning === 'unclear') return false
    if (meaning === 'ordinary') head.isPlain = false
    else if (meaning === 'connection') {
      const wish = value.toLowerCase()
      if (wish === 'close') head.isPlain = false
      else if (wish !== 'keep-alive') return false
    } else if (meaning === 'length') {
      if (hasLength || !/^\d{1,15}$/.test(value)) return false
      hasLength = true
      head.isPlain = false
      head.bodyBytes = Number(value)
    } else if (meaning === 'host') {
      if (head.host !== '') return false
      head.host = value
    } else if (head[meaning] === undefined) head[meaning] = value
    else head.isPlain = false
  }
  head.isPlain &&= head.host !== ''
  return true
}

const tab = 0x09
const space = 0x20

/** Without the spaces and tabs around it, which are the only ones that HTTP allows there. */
function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

const isBlank = (code: number): boolean => code === space || code === tab
