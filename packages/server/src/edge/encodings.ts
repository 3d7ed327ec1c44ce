// Reads from Accept-Encoding which content codings a client accepts (RFC 9110, 12.5.3).
import type { Coding } from '../core/deployments/archive/variants.ts'
import { readAcceptEncoding } from '../lib/accept-encoding.ts'

/** What a client accepts. */
export interface Preference {
  /** The index in `preferences`. It is one digit in the keys of hot files. */
  readonly number: number
  /** The codings to try before the uncompressed file, best first. */
  readonly codings: readonly Coding[]
  /** Whether the client accepts the uncompressed file. */
  readonly takesIdentity: boolean
}

export const preferences: readonly Preference[] = [true, false]
  .flatMap(takesIdentity =>
    ([[], ['br'], ['gzip'], ['br', 'gzip'], ['gzip', 'br']] satisfies Coding[][]).map(codings => ({
      codings,
      takesIdentity,
    })),
  )
  .map((preference, number) => ({ number, ...preference }))

const plain = preferences[0]!
/** The codings of compressed files. Codings with the same weight for the client are tried in this order. */
const codings: readonly Coding[] = ['br', 'gzip']
const known = new Map<string, Preference>()
const entriesAtMost = 1000
/** The longest key of `known`. Longer header values are parsed each time, so that clients cannot fill the memory. */
const longestKey = 200

export function preferenceOf(acceptEncoding: string | undefined): Preference {
  if (acceptEncoding === undefined) return plain
  const before = known.get(acceptEncoding)
  if (before !== undefined) return before
  const preference = read(acceptEncoding)
  if (acceptEncoding.length > longestKey) return preference
  if (known.size >= entriesAtMost) known.clear()
  known.set(acceptEncoding, preference)
  return preference
}

function read(header: string): Preference {
  const weight = readAcceptEncoding(header)
  // If the header does not list `identity`, the client accepts it, but prefers every coding that is listed.
  const identity = weight('identity') ?? 0
  const takesIdentity = weight('identity') !== 0
  const wanted = codings
    .map(coding => ({ coding, weight: weight(coding) ?? 0 }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
    .sort((a, b) => b.weight - a.weight)
    .map(({ coding }) => coding)
  const isIt = ({ codings, takesIdentity: takes }: Preference) =>
    takes === takesIdentity && codings.join() === wanted.join()
  return preferences.find(isIt) ?? plain
}
