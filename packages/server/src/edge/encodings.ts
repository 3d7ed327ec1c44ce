// Which content codings a client takes, best first (RFC 9110, 12.5.3).
import type { Coding } from '../core/archive/variants.ts'

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
const remembered = 1000
/** Longer than what any browser sends: clients cannot fill the memory with their own. */
const longestRemembered = 200

export function preferenceOf(acceptEncoding: string | undefined): Preference {
  if (acceptEncoding === undefined) return plain
  const before = known.get(acceptEncoding)
  if (before !== undefined) return before
  const preference = read(acceptEncoding)
  if (acceptEncoding.length > longestRemembered) return preference
  if (known.size >= remembered) known.clear()
  known.set(acceptEncoding, preference)
  return preference
}

function read(header: string): Preference {
  const weights = weigh(header)
  const weight = (name: string) => weights.get(name) ?? weights.get('*')
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

function weigh(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim())
    if (name === '') continue
    const q = parameters.find(parameter => parameter.startsWith('q='))
    const weight =
      q === undefined ? 1 : /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(q.slice(2)) ? Number(q.slice(2)) : 0
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  return weights
}
