// Reads the one kind of request that needs nothing of HTTP but an answer: a GET without conditions, body or wishes
// for the connection. Whatever is not surely that, byte for byte, is left to a full parser.

export interface PlainGet {
  /** As it was written, query included. */
  target: string
  host: string
  acceptEncoding: string | undefined
  /** All header fields, one a line. */
  fields: string
}

const longest = 8192
const capitalG = 0x47
const lineFeed = 0x0a

/**
 * One whole head in printable characters, and nothing after it; names are tokens right before their colon. There is no `#`
 * in the target.
 */
const shape = /^GET (\/[!"$-~]*) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~]*\r\n)+)\r\n$/

type Meaning = 'host' | 'accept-encoding' | 'connection' | 'beyond'

/** Header fields that matter to the answer; all others do not. */
const meanings = new Map<string, Meaning>([
  ['host', 'host'],
  ['accept-encoding', 'accept-encoding'],
  ['connection', 'connection'],
  ['content-length', 'beyond'],
  ['transfer-encoding', 'beyond'],
  ['trailer', 'beyond'],
  ['te', 'beyond'],
  ['expect', 'beyond'],
  ['upgrade', 'beyond'],
  ['http2-settings', 'beyond'],
  ['proxy-connection', 'beyond'],
  ['range', 'beyond'],
  ['if-range', 'beyond'],
  ['if-match', 'beyond'],
  ['if-none-match', 'beyond'],
  ['if-modified-since', 'beyond'],
  ['if-unmodified-since', 'beyond'],
])

/** By length: the first letters of the names above, as bits. Most fields are passed over with this look alone. */
const letters = new Uint32Array(32)
for (const name of meanings.keys()) letters[name.length]! |= letterBit(name, 0)

function letterBit(text: string, at: number): number {
  return 1 << ((text.charCodeAt(at) | 0x20) - 0x61)
}

export function readPlainGet(chunk: Buffer): PlainGet | undefined {
  const { length } = chunk
  if (length > longest || chunk[0] !== capitalG || chunk[length - 1] !== lineFeed) return undefined
  const match = shape.exec(chunk.toString('latin1'))
  if (match === null) return undefined
  const fields = match[2]!
  let host: string | undefined
  let acceptEncoding: string | undefined
  for (let at = 0; at < fields.length; ) {
    const colon = fields.indexOf(':', at)
    const end = fields.indexOf('\r', colon)
    const start = at
    at = end + 2
    if (((letters[colon - start] ?? 0) & letterBit(fields, start)) === 0) continue
    const meaning = meanings.get(fields.slice(start, colon).toLowerCase())
    if (meaning === undefined) continue
    const value = fields.slice(colon + 1, end).trim()
    if (meaning === 'host' && host === undefined) host = value
    else if (meaning === 'accept-encoding' && acceptEncoding === undefined) acceptEncoding = value
    else if (meaning === 'connection' && value.toLowerCase() === 'keep-alive') continue
    else return undefined
  }
  return host === undefined ? undefined : { target: match[1]!, host, acceptEncoding, fields }
}
