// Reads the header fields that affect how a file is sent: Accept-Encoding, conditions and ranges.
import { type Preference, preferenceOf } from './encodings.ts'

interface Negotiation {
  preference: Preference
  /** Whether the request has a condition or a range. */
  conditional: boolean
}

const conditions = new Set([
  'range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
])

/** Reads the raw headers in one pass. `req.headers` is not used, because node:http builds this object on its first use. */
export function readNegotiation(rawHeaders: readonly string[]): Negotiation {
  let acceptEncoding: string | undefined
  let conditional = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const first = name.charCodeAt(0) | 0x20
    if (first === 0x61 /* a */) {
      if (name.length !== 15 || name.toLowerCase() !== 'accept-encoding') continue
      const value = rawHeaders[i + 1]!
      acceptEncoding = acceptEncoding === undefined ? value : `${acceptEncoding}, ${value}`
    } else if (first === 0x69 /* i */ || first === 0x72 /* r */) {
      conditional ||= conditions.has(name.toLowerCase())
    }
  }
  return { preference: preferenceOf(acceptEncoding), conditional }
}
