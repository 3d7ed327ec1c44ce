// One answer of an app that is kept.
import type { Clock } from '../../lib/clock.ts'
import { readHttpDate } from '../../lib/http-date.ts'
import type { SentRequest } from '../proxy/sent-request.ts'
import { fieldIn, membersIn } from './fields.ts'
import type { Lifetime } from './lifetime.ts'

/** Where an answer belongs. */
export interface CacheKey {
  /** Of the deployment, the host and the whole target. */
  text: string
  projectId: string
  /** Decoded, without the query: what is evicted together. */
  path: string
}

export interface Answered {
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
  /** The request that it answered. */
  request: SentRequest
  clock: Clock
}

/** Memory for the objects of an entry, its places in maps, and each of its strings. */
const overhead = { entry: 2 * 1024, string: 48 }

export class CachedAnswer {
  readonly cacheKey: CacheKey
  readonly answered: Answered
  /** In bytes: all that is held because of this entry. */
  readonly weight: number
  readonly #lifetime: Lifetime
  readonly #clock: Clock
  /** What the request said in the fields that the answer depends on. */
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

  /** It may be sent while a new one is fetched. */
  get mayServeStale(): boolean {
    return this.#staleFor() < this.#lifetime.whileRevalidate
  }

  /** It may be sent because the app fails. */
  get mayServeIfError(): boolean {
    return this.#staleFor() < this.#lifetime.ifError
  }

  /** In whole seconds. */
  get age(): number {
    return Math.floor(this.#age())
  }

  /** Whether it is an answer to this request. */
  answers(request: SentRequest): boolean {
    return this.#varies.every(([name, value]) => request.field(name) === value)
  }

  /** Header fields by which the app can say that nothing changed. */
  get conditions(): string[] {
    const conditions: string[] = []
    const etag = this.header('etag')
    const modified = this.header('last-modified')
    if (etag !== undefined) conditions.push('If-None-Match', etag)
    if (readHttpDate(modified) !== undefined) conditions.push('If-Modified-Since', modified!)
    return conditions
  }

  header(name: string): string | undefined {
    return fieldIn(this.answered.headers, name)
  }

  #age(): number {
    return this.#lifetime.age + (this.#clock.now() - this.#lifetime.since) / 1000
  }

  #staleFor(): number {
    return this.#age() - this.#lifetime.fresh
  }

  /** Names from the header fields are one byte a character; a decoded path may be two, and it is held twice. */
  #weighStrings(): number {
    const { text: key, path } = this.cacheKey
    const strings = [...this.answered.headers, ...this.#varies.flat(), key]
    let bytes = 4 * path.length
    for (const string of strings) bytes += overhead.string + (string?.length ?? 0)
    return bytes
  }
}

/** What is encoded depends on what the client takes, even where an app forgets to say so. */
function namesVaried(headers: readonly string[]): string[] {
  const names = new Set(membersIn(headers, 'vary'))
  if (fieldIn(headers, 'content-encoding') !== undefined) names.add('accept-encoding')
  return [...names]
}
