// One answer of an app that is kept, and how long it is good for.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import CachePolicy from 'http-cache-semantics'
import type { Clock } from '../../lib/clock.ts'
import { isOffered, readDirectives, staleIfError, staleWhileRevalidate } from './directives.ts'

/** Where an answer belongs. */
export interface Place {
  /** Of the deployment, the host and the whole target. */
  key: string
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

/** What an entry takes besides its body. */
const overhead = 2 * 1024

export class CachedAnswer {
  readonly place: Place
  readonly answered: Answered
  /** The headers as the app wrote them. */
  readonly source: IncomingHttpHeaders
  readonly weight: number
  readonly #policy: CachePolicy
  readonly #varies: [name: string, value: string | undefined][]
  /** Seconds after it became stale. */
  readonly #whileRevalidate: number
  readonly #ifError: number

  constructor(place: Place, policy: CachePolicy, asked: Asked, answered: Answered) {
    this.place = place
    this.answered = answered
    this.source = asked.answer.headers
    this.#policy = policy
    this.#varies = namesIn(asked.answer.headers.vary).map(name => [name, fieldOf(asked.request, name)])
    this.weight = answered.body.length + overhead + answered.headers.join().length
    const directives = readDirectives(asked.answer.headers['cache-control'])
    this.#whileRevalidate = staleWhileRevalidate(directives)
    this.#ifError = staleIfError(directives)
  }

  get isFresh(): boolean {
    return !this.#policy.stale()
  }

  /** It may be shown while a new one is fetched. */
  get mayWait(): boolean {
    return this.#staleFor() < this.#whileRevalidate
  }

  /** It may be shown while the app fails. */
  get mayStandIn(): boolean {
    return this.#staleFor() < this.#ifError
  }

  get age(): number {
    return Math.floor(this.#policy.age())
  }

  /** Whether it is an answer to this request. */
  answers(request: Request): boolean {
    return this.#varies.every(([name, value]) => fieldOf(request, name) === value)
  }

  /** By which the app can say that nothing changed. */
  get conditions(): string[] {
    const conditions: string[] = []
    const etag = this.header('etag')
    const modified = this.header('last-modified')
    if (etag !== undefined) conditions.push('If-None-Match', etag)
    if (modified !== undefined) conditions.push('If-Modified-Since', modified)
    return conditions
  }

  header(name: string): string | undefined {
    const { headers } = this.answered
    for (let i = 0; i < headers.length; i += 2) if (headers[i]!.toLowerCase() === name) return headers[i + 1]
    return undefined
  }

  #staleFor(): number {
    return this.#policy.age() - this.#policy.maxAge()
  }
}

export type Request = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** A request and what the app answered to it. */
export interface Asked {
  request: Request
  answer: Pick<IncomingMessage, 'headers' | 'statusCode'>
}

export type Policies = (asked: Asked) => CachePolicy | undefined

/** Answers the policy of an answer that may be kept. */
export function policiesBy(clock: Clock): Policies {
  class Policy extends CachePolicy {
    now(): number {
      return clock.now()
    }
  }
  return ({ request, answer }) => {
    if (!isOffered(answer.headers)) return undefined
    // What a visitor's browser wants of caches is about its own; a reload does not reach the app.
    const { 'cache-control': _wish, pragma: _old, ...headers } = request.headers
    const policy = new Policy(
      { method: 'GET', headers: headers as CachePolicy.Headers },
      { status: answer.statusCode, headers: answer.headers as CachePolicy.Headers },
      { shared: true, cacheHeuristic: 0 },
    )
    return policy.storable() && answer.statusCode !== 206 ? policy : undefined
  }
}

const namesIn = (vary: string | undefined): string[] =>
  (vary ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(Boolean)

/**
 * Every time that it was sent, as the app sees it. Spaces make no difference, so that clients that write the same
 * differently share an answer.
 */
function fieldOf({ rawHeaders }: Request, name: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length !== name.length || rawHeaders[i]!.toLowerCase() !== name) continue
    value = value === undefined ? rawHeaders[i + 1]! : `${value},${rawHeaders[i + 1]}`
  }
  return value
    ?.split(',')
    .map(part => part.trim())
    .join(',')
}
