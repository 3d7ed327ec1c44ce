// One cache entry: an answer of an app, with its headers and its lifetime.
import type { Clock } from '../../lib/clock.ts'
import { readHttpDate } from '../../lib/http-date.ts'
import { membersIn, valueIn } from '../../lib/raw-headers.ts'
import type { SentRequest } from '../proxy/sent-request.ts'
import type { Lifetime } from './lifetime.ts'

/** Identifies a cache entry, apart from the header fields that `Vary` names. */
export interface CacheKey {
  /** Made of the deployment, the host and the whole request target. */
  text: string
  projectId: string
  /** Decoded, without the query. All entries of a path are invalidated together. */
  path: string
}

interface Answered {
  status: number
  message: string | undefined
  /** As they are sent to visitors. */
  headers: string[]
  body: Buffer
}

interface CachedAnswerParts {
  cacheKey: CacheKey
  answered: Answered
  lifetime: Lifetime
  /** The request that this answers. */
  request: SentRequest
  clock: Clock
}

/** Estimated bytes for the objects and map slots of an entry, and for each of its strings. */
const overhead = { entry: 2 * 1024, string: 48 }

export class CachedAnswer {
  readonly cacheKey: CacheKey
  readonly answered: Answered
  /** Estimated bytes of memory that this entry takes. */
  readonly weight: number
  readonly #lifetime: Lifetime
  readonly #clock: Clock
  /** The request's values of the header fields that `Vary` names. */
  readonly #varies: [name: string, value: string | undefined][]

  constructor({ cacheKey, answered, lifetime, request, clock }: CachedAnswerParts) {
    this.cacheKey = cacheKey
    this.answered = answered
    this.#lifetime = lifetime
    this.#clock = clock
    this.#varies = namesVaried(answered.headers).map(name => [name, request.field(name)])
    this.weight = overhead.entry + answered.body.length + this.#weighStrings()
  }

  get isFresh(): boolean {
    return this.#staleFor() < 0
  }

  /** `stale-while-revalidate`: the stale entry may be sent while a new answer is fetched. */
  get mayServeStale(): boolean {
    return this.#staleFor() < this.#lifetime.whileRevalidate
  }

  /** `stale-if-error`: the stale entry may be sent when the app fails. */
  get mayServeIfError(): boolean {
    return this.#staleFor() < this.#lifetime.ifError
  }

  /** In whole seconds. */
  get age(): number {
    return Math.floor(this.#age())
  }

  /** Whether the request has the same values in the fields that `Vary` names. */
  answers(request: SentRequest): boolean {
    return this.#varies.every(([name, value]) => request.field(name) === value)
  }

  /** The header fields with which the app can answer 304. */
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

  #staleFor(): number {
    return this.#age() - this.#lifetime.fresh
  }

  /** Header fields take one byte a character. A decoded path may take two, and is stored twice. */
  #weighStrings(): number {
    const { text: key, path } = this.cacheKey
    const strings = [...this.answered.headers, ...this.#varies.flat(), key]
    let bytes = 4 * path.length
    for (const string of strings) bytes += overhead.string + (string?.length ?? 0)
    return bytes
  }
}

/** A compressed answer depends on `Accept-Encoding`, even if the app forgets to list it in `Vary`. */
function namesVaried(headers: readonly string[]): string[] {
  const names = new Set(membersIn(headers, 'vary'))
  if (valueIn(headers, 'content-encoding') !== undefined) names.add('accept-encoding')
  return [...names]
}
