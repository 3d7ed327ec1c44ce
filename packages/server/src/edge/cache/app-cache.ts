// The shared cache in front of server apps. It stores the answers that the app allows it to store. If it has no usable
// entry, it asks the app, and clients that request the same cacheable URL at the same time share one fetch.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import { valueIn } from '../../lib/raw-headers.ts'
import type { Changes } from '../../ports/changes/port.ts'
import { deliverAppAnswer } from '../compression/app-answers.ts'
import type { Exchange } from '../exchange.ts'
import { answerHeaders } from '../proxy/answer-headers.ts'
import { Cancellation } from '../proxy/cancellation.ts'
import type { AppProxy } from '../proxy/proxy.ts'
import { hasBody } from '../proxy/request-headers.ts'
import { SentRequest } from '../proxy/sent-request.ts'
import type { Route } from '../route.ts'
import { cacheKeyOf } from './cache-key.ts'
import { CachedAnswer, type CacheKey } from './cached-answer.ts'
import { CachedAnswers } from './cached-answers.ts'
import { type Fetch, Fetches } from './fetches.ts'
import { isSafe, pathsChanged } from './invalidation.ts'
import { type Lifetime, lifetimeOf } from './lifetime.ts'
import { renewedHeaders } from './renew.ts'
import { type CacheState, sendCached } from './send-cached.ts'
import { MemoryBudget, tee } from './tee.ts'
import { UncacheableKeys } from './uncacheable-keys.ts'

interface AppCacheParts {
  proxy: AppProxy
  changes: Changes
  clock: Clock
  /** Memory for cache entries, in bytes. Answers that are still being read have a second budget of the same size. */
  bytes: number
  /** Whether X-Forwarded-* headers from this address are used. */
  isTrusted(address: string): boolean
  /** Called when a change dropped `count` entries. `key` is the project's id, a space, and the path. */
  onEvicted?(key: string, count: number): void
  /**
   * Called when a visitor's request invalidated a path, so that other caches can drop its entries. `key` has the same
   * form as in `onEvicted`.
   */
  onInvalidated?(key: string): void
}

/** A request for which the cache has no fresh entry. */
interface CacheMiss {
  request: SentRequest
  /** `undefined` if no client waits, because the stale entry was sent and is renewed in the background. */
  client: Exchange | undefined
  route: Route
  cacheKey: CacheKey
  /** The stale entry, if there is one. */
  cached: CachedAnswer | undefined
}

/** A cache miss whose request was sent to the app. */
interface AppFetch extends CacheMiss {
  fetch: Fetch
  cancellation: Cancellation
}

/** An answer that needs more memory than `bytes / largestShare` is not stored. */
const largestShare = 8
export class AppCache {
  readonly #proxy: AppProxy
  readonly #clock: Clock
  readonly #answers: CachedAnswers
  readonly #largest: number
  readonly #memory: MemoryBudget
  readonly #isTrusted: (address: string) => boolean
  readonly #unsubscribe: () => void
  readonly #fetches = new Fetches()
  readonly #uncacheable: UncacheableKeys
  readonly #onInvalidated: (key: string) => void

  constructor({ proxy, changes, clock, bytes, isTrusted, onEvicted, onInvalidated }: AppCacheParts) {
    this.#proxy = proxy
    this.#clock = clock
    this.#uncacheable = new UncacheableKeys(clock)
    this.#answers = new CachedAnswers(bytes)
    this.#largest = bytes / largestShare
    this.#memory = new MemoryBudget(bytes)
    this.#isTrusted = isTrusted
    this.#onInvalidated = onInvalidated ?? (() => undefined)
    this.#unsubscribe = changes.subscribe(change => {
      if (change.topic === 'everything') this.#clear()
      if (change.topic !== 'cache') return
      const space = change.key.indexOf(' ')
      const count = this.#evict(change.key.slice(0, space), change.key.slice(space + 1))
      if (count > 0) onEvicted?.(change.key, count)
    })
  }

  async handleRequest(exchange: Exchange, route: Route): Promise<void> {
    if (exchange.isClosed) return
    if (this.#largest === 0) return this.#proxy.proxyRequest(exchange, route)
    const request = new SentRequest(exchange, this.#isTrusted)
    if (!isSafe(exchange.method)) return this.#passUnsafeMethod(request, route)
    // A lane sends a request to the app only if the cache has no part in its answer.
    if (exchange.begun !== undefined) return this.#proxy.proxyRequest(exchange, route)
    const cacheKey = cacheKeyOf(request, route)
    if (cacheKey === undefined || isForApp(exchange.req)) return this.#proxy.proxyRequest(exchange, route)

    const cached = this.#answers.find(cacheKey.text, request)
    if (cached?.isFresh) return sendCached(exchange, cached, 'HIT')
    if (cached?.mayServeStale) {
      sendCached(exchange, cached, 'STALE')
      if (this.#fetches.find(cacheKey.text) === undefined)
        await this.#fetch({ request, client: undefined, route, cacheKey, cached })
      return
    }
    if (cached === undefined && this.#isUncacheable(exchange.req, cacheKey))
      return this.#proxy.proxyRequest(exchange, route)
    const underWay = this.#fetches.find(cacheKey.text)
    if (underWay === undefined) return this.#fetch({ request, client: exchange, route, cacheKey, cached })
    await underWay.ended
    if (exchange.isClosed) return
    const fetched = this.#answers.find(cacheKey.text, request)
    if (fetched?.isFresh) sendCached(exchange, fetched, 'HIT')
    // If the fetch was abandoned or outdated, start again: the first of the waiting requests fetches, and the others
    // wait for it.
    else if (underWay.isAbandoned || underWay.isOutdated) await this.handleRequest(exchange, route)
    else await this.#proxy.proxyRequest(exchange, route)
  }

  /** Whether the cache passes such a request on to the app at once, and does not store the answer. */
  isBypassed(method: string, key: string): boolean {
    if (this.#largest === 0) return true
    return !this.#answers.has(key) && (method === 'HEAD' || this.#uncacheable.has(key))
  }

  /** Drops the entries of a path that a visitor's request has changed, here and in other processes. */
  invalidate(projectId: string, path: string): void {
    if (this.#largest === 0) return
    this.#evict(projectId, path)
    this.#onInvalidated(`${projectId} ${path}`)
  }

  close(): void {
    this.#unsubscribe()
  }

  #evict(projectId: string, path: string): number {
    this.#fetches.outdate(cacheKey => cacheKey.path === path && cacheKey.projectId === projectId)
    return this.#answers.evict(projectId, path)
  }

  #clear(): void {
    this.#answers.clear()
    this.#fetches.outdate(() => true)
  }

  /** Whether it is known that the answer will not be stored. Such requests do not wait for each other. */
  #isUncacheable({ method, headers }: IncomingMessage, { text: key }: CacheKey): boolean {
    if (method === 'HEAD' || headers.range !== undefined) return true
    return this.#uncacheable.has(key)
  }

  /**
   * Passes the request to the app and drops the cache entries of the paths that it changes, unless the app answers with
   * an error (RFC 9111, 4.4). If no answer arrives, the app may still have made the change, so the entries of the
   * request's own path are dropped. Requests to protected sites count, too: an editor behind a password may change
   * public pages.
   */
  #passUnsafeMethod(request: SentRequest, route: Route): Promise<void> {
    const { projectId } = route
    const path = request.exchange.target?.path
    return this.#proxy.proxyRequest(request.exchange, route, {
      onAnswer: answer => {
        for (const changed of path === undefined ? [] : pathsChanged(request, path, answer))
          this.invalidate(projectId, changed)
      },
    })
  }

  /** Sends the request to the app, answers the client if one waits, and stores the answer if the app allows it. */
  async #fetch(query: CacheMiss): Promise<void> {
    const { request, client, route, cacheKey, cached } = query
    const fetch = this.#fetches.begin(cacheKey)
    const cancellation = new Cancellation(client?.res)
    const done = this.#proxy.busy(route)
    try {
      const conditions = cached?.conditions ?? []
      const answer = await this.#proxy.fetch(request, route, { conditions, cancellation, client })
      await this.#handleAnswer({ ...query, fetch, cancellation }, answer)
    } catch (error) {
      fetch.isAbandoned = cancellation.isCancelled
      if (client === undefined || cancellation.isCancelled) return
      if (cached?.mayServeIfError && !client.res.headersSent) sendCached(client, cached, 'STALE')
      else this.#proxy.sendError(client, error)
    } finally {
      this.#fetches.end(fetch)
      done()
    }
  }

  /**
   * Chooses what to do with the app's answer: renew the stale entry, send the stale entry instead of an error, store
   * the answer, or only pass it on.
   */
  #handleAnswer(asked: AppFetch, answer: IncomingMessage): Promise<void> | void {
    const { cached, request } = asked
    const status = answer.statusCode!
    if (status === 304 && cached !== undefined) return this.#renew(asked, cached, answer)
    if (status >= 500 && cached?.mayServeIfError) return this.#serveStaleOnError(asked, cached, answer)
    const lifetime = this.#lifetimeOf(request, status, answer.rawHeaders)
    const isTooLarge = Number(answer.headers['content-length'] ?? 0) > this.#largest
    if (lifetime !== undefined && !isTooLarge) return this.#storeAnswer(asked, answer, lifetime)
    return this.#passThrough(asked, answer)
  }

  /**
   * Updates the stale entry with the headers of the app's 304 and sends it to the client. If the updated headers forbid
   * storing the entry, it is sent one last time and dropped.
   */
  #renew(
    { fetch, request, cacheKey, client, route }: AppFetch,
    cached: CachedAnswer,
    answer: IncomingMessage,
  ): void {
    answer.resume()
    const said = answerHeaders(answer, route)
    this.#addDate(said)
    const answered = { ...cached.answered, headers: renewedHeaders(cached, said) }
    const lifetime = this.#lifetimeOf(request, answered.status, answered.headers)
    // `undefined` if the updated headers do not allow storing the answer.
    const { forms } = cached
    const renewed =
      lifetime && new CachedAnswer({ cacheKey, answered, lifetime, request, clock: this.#clock, forms })
    if (!fetch.isOutdated) this.#replace(cached, renewed, request)
    if (client) sendCached(client, renewed ?? cached, 'REVALIDATED')
  }

  /** Sends the stale entry instead of the app's 5xx answer, as `stale-if-error` allows. */
  #serveStaleOnError({ client }: AppFetch, cached: CachedAnswer, answer: IncomingMessage): void {
    answer.destroy()
    if (client) sendCached(client, cached, 'STALE')
  }

  /** Streams the answer to the client, if one waits, and stores the answer once it is complete. */
  async #storeAnswer(asked: AppFetch, answer: IncomingMessage, lifetime: Lifetime): Promise<void> {
    const { client, route, cacheKey, cached, request, fetch, cancellation } = asked
    // Other requests may be waiting for this answer, so it is read to its end even if the client goes away.
    cancellation.detach()
    const headers = answerHeaders(answer, route)
    this.#addDate(headers)
    const state: CacheState = cached === undefined ? 'MISS' : 'EXPIRED'
    const reader = client && { client, headers: [...headers, 'X-Svc-Cache', state] }
    const body = await tee(answer, reader, { atMost: this.#largest, memory: this.#memory })
    if (fetch.isOutdated || body === 'broken off') return
    if (body === 'too large') {
      this.#replace(cached, undefined, request)
      return this.#uncacheable.add(cacheKey.text)
    }
    const answered = { status: answer.statusCode!, message: answer.statusMessage, headers, body }
    const kept = new CachedAnswer({ cacheKey, answered, lifetime, request, clock: this.#clock })
    this.#replace(cached, kept, request)
  }

  /** Streams the answer to the client without storing it. Drops the stale entry, unless the answer is a 5xx. */
  async #passThrough(
    { client, route, cacheKey, cached, request, fetch }: AppFetch,
    answer: IncomingMessage,
  ): Promise<void> {
    if (answer.statusCode! < 500) this.#replace(cached, undefined, request)
    if (client) this.#uncacheable.add(cacheKey.text)
    this.#fetches.end(fetch)
    if (client === undefined || client.isClosed) return void answer.destroy()
    deliverAppAnswer(answer, client, [...answerHeaders(answer, route), 'X-Svc-Cache', 'BYPASS'])
    await new Promise(closed => client.res.once('close', closed))
  }

  #lifetimeOf(request: SentRequest, status: number, headers: readonly string[]): Lifetime | undefined {
    const isPersonal = request.field('authorization') !== undefined
    return lifetimeOf({ status, headers }, { isPersonal, now: this.#clock.now() })
  }

  /** Adds a Date header with the current time if there is none. */
  #addDate(headers: string[]): void {
    if (valueIn(headers, 'date') === undefined)
      headers.push('Date', new Date(this.#clock.now()).toUTCString())
  }

  #replace(old: CachedAnswer | undefined, by: CachedAnswer | undefined, request: SentRequest): void {
    if (by !== undefined) this.#answers.put(by, request)
    else if (old !== undefined) this.#answers.drop(old)
  }
}

/**
 * Whether the request bypasses the cache. The answer to a request with a body depends on that body, which is not part
 * of the cache key. `If-Match` and `If-Unmodified-Since` must be evaluated by the app (RFC 9111, 4.3.2).
 */
function isForApp(req: IncomingMessage): boolean {
  const { method, headers } = req
  if ((method !== 'GET' && method !== 'HEAD') || hasBody(req)) return true
  return headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined
}
