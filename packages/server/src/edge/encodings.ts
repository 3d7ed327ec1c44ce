// Which content codings a client takes, best first (RFC 9110, 12.5.3).
import type { Coding } from '../core/deployments/archive/variants.ts'
import { readAcceptEncoding } from '../lib/accept-encoding.ts'

/** The codings to be tried before the file is sent as it is; the number is one digit of cache keys. */
export interface Preference {
  readonly number: number
  readonly codings: readonly Coding[]
  /** Whether the file may be sent as it is. */
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
/** The server's own taste, where a client has none. */
const codings: readonly Coding[] = ['br', 'gzip']
const known = new Map<string, Preference>()
const entriesAtMost = 1000
/** Longer than what any browser sends: clients cannot fill the memory with their own. */
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
  // Unless it is named, the plain file is what is taken when nothing better is.
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
