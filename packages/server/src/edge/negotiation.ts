// What a request's headers say of the answer that is wanted.
import { type Preference, preferenceOf } from './encodings.ts'

export interface Negotiation {
  preference: Preference
  /** There are conditions or a range to be looked at. */
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

/** One pass over the names, without building an object of them all: most requests have nothing more to say. */
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
