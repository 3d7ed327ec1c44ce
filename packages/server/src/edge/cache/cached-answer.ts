// A cache entry: an app's answer, its lifetime, and the request's values of the fields that `Vary` names.
import type { Clock } from '../../lib/clock.ts'
import { readHttpDate } from '../../lib/http-date.ts'
import { membersIn, valueIn } from '../../lib/raw-headers.ts'
import type { SentRequest } from '../proxy/sent-request.ts'
import { CompressedForms, roomForForms } from './compressed-forms.ts'
import type { Lifetime } from './lifetime.ts'

/** Identifies cache entries. Entries with the same key differ in the header fields that `Vary` names. */
export interface CacheKey {
  /** The whole key as text, made by `cacheKeyOf`. */
  text: string
  projectId: string
  /** The decoded path, without the query. All entries of a path are invalidated together. */
  path: string
}

interface Answered {
  status: number
  message: string | undefined
  /** Names and values in turn, without fields that visitors must not see. */
  headers: string[]
  body: Buffer
}

interface CachedAnswerParts {
  cacheKey: CacheKey
  answered: Answered
  lifetime: Lifetime
  /** The request to which the app sent this answer. */
  request: SentRequest
  clock: Clock
  /** The forms of the body, if it is that of an entry that is renewed. */
  forms?: CompressedForms
}

/** Estimated memory in bytes: for the objects and map slots of an entry, and for each string besides its characters. */
const overhead = { entry: 2 * 1024, string: 48 }

export class CachedAnswer {
  readonly cacheKey: CacheKey
  readonly answered: Answered
  /** Estimated bytes of memory that this entry takes. */
  readonly weight: number
  readonly forms: CompressedForms
  readonly #lifetime: Lifetime
  readonly #clock: Clock
  /** The header fields on which the answer depends, with the values that they had in the request. */
  readonly #varies: [name: string, value: string | undefined][]

  constructor({ cacheKey, answered, lifetime, request, clock, forms }: CachedAnswerParts) {
    this.cacheKey = cacheKey
    this.answered = answered
    this.#lifetime = lifetime
    this.#clock = clock
    this.#varies = namesVaried(answered.headers).map(name => [name, request.field(name)])
    const { status, headers, body } = answered
    const room = roomForForms(status, headers, body.length)
    this.forms = forms ?? new CompressedForms(body, room)
    this.weight = overhead.entry + body.length + room + this.#weighStrings()
  }

  get isFresh(): boolean {
    return this.#staleFor() < 0
  }

  /** Whether the entry may be sent while a new answer is fetched (`stale-while-revalidate`). */
  get mayServeStale(): boolean {
    return this.#staleFor() < this.#lifetime.whileRevalidate
  }

  /** Whether the entry may be sent when the app fails (`stale-if-error`). */
  get mayServeIfError(): boolean {
    return this.#staleFor() < this.#lifetime.ifError
  }

  /** The age of the answer in whole seconds. */
  get age(): number {
    return Math.floor(this.#age())
  }

  /** Whether this entry answers the request: the fields on which it depends have the same values. */
  answers(request: SentRequest): boolean {
    return this.#varies.every(([name, value]) => request.field(name) === value)
  }

  /**
   * The header fields of a conditional request, which the app can answer with 304. Empty if the entry has no
   * validators.
   */
  get conditions(): string[] {
    const conditions: string[] = []
    const etag = this.header('etag')
    const modified = this.header('last-modified')
    if (etag !== undefined) conditions.push('If-None-Match', etag)
    if (readHttpDate(modified) !== undefined) conditions.push('If-Modified-Since', modified!)
    return conditions
  }

  header(name: string): string | undefined {
    return valueIn(this.answered.headers, name)
  }

  #age(): number {
    return this.#lifetime.age + (this.#clock.now() - this.#lifetime.since) / 1000
  }

  /** The seconds since the answer became stale. Negative while it is fresh. */
  #staleFor(): number {
    return this.#age() - this.#lifetime.fresh
  }

  /**
   * Returns the estimated memory of the strings, in bytes. Header fields take one byte per character. The decoded path
   * may take two, and `CachedAnswers` stores it a second time.
   */
  #weighStrings(): number {
    const { text: key, path } = this.cacheKey
    const strings = [...this.answered.headers, ...this.#varies.flat(), key]
    let bytes = 4 * path.length
    for (const string of strings) bytes += overhead.string + (string?.length ?? 0)
    return bytes
  }
}

/**
 * Returns the names of the request's header fields on which the answer depends. A compressed answer depends on
 * `Accept-Encoding`, even if the app does not list it in `Vary`.
 */
function namesVaried(headers: readonly string[]): string[] {
  const names = new Set(membersIn(headers, 'vary'))
  if (valueIn(headers, 'content-encoding') !== undefined) names.add('accept-encoding')
  return [...names]
}
