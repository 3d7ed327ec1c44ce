// The shared cache in front of server apps: sends what the app allowed it to keep, asks the app for the rest, and asks
// once for all who want the same at the same time.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import { Generations } from '../../lib/generations.ts'
import type { Changes } from '../../ports/changes/port.ts'
import { answerHeaders } from '../proxy/answer-headers.ts'
import { deliver } from '../proxy/deliver.ts'
import { Departure, hasLeft } from '../proxy/departure.ts'
import type { AppProxy } from '../proxy/proxy.ts'
import { hasBody } from '../proxy/request-headers.ts'
import { SentRequest } from '../proxy/sent-request.ts'
import type { Route } from '../route.ts'
import { readTarget } from '../targets.ts'
import { CachedAnswer, type Place } from './cached-answer.ts'
import { CachedAnswers } from './cached-answers.ts'
import { Fetches } from './fetches.ts'
import { fieldIn } from './fields.ts'
import { isSafe, pathsChanged } from './invalidation.ts'
import { type Lifetime, lifetimeOf } from './lifetime.ts'
import { placeOf } from './place.ts'
import { renewedHeaders } from './renew.ts'
import { type CacheState, sendCached } from './send-cached.ts'
import { Room, tee } from './tee.ts'

export interface AppCacheParts {
  proxy: AppProxy
  changes: Changes
  clock: Clock
  /** Memory for answers. Those that are being read may take as much again. */
  bytes: number
  /** Whose X-Forwarded-* headers are believed. */
  isTrusted(address: string): boolean
  /** Told how many answers were dropped at the change of a key. */
  onEvicted?(key: string, count: number): void
  /** Told of keys whose answers visitors' requests made worthless, so that other caches can drop theirs. */
  onInvalidated?(key: string): void
}

/** A request that the app is to be asked about. */
interface Query {
  request: SentRequest
  /** Undefined if nobody waits: an answer is fetched in the background. */
  res: ServerResponse | undefined
  route: Route
  place: Place
  cached: CachedAnswer | undefined
}

/** No answer may take more of the memory than this part. */
const largestShare = 8
/** How long it is remembered that answers at an address are not kept, so that nobody waits for another's. */
const unkeptMs = 10_000
/** Memory for that, in bytes. */
const unkeptBytes = 2 * 1024 * 1024

export class AppCache {
  readonly #proxy: AppProxy
  readonly #clock: Clock
  readonly #answers: CachedAnswers
  readonly #largest: number
  readonly #room: Room
  readonly #isTrusted: (address: string) => boolean
  readonly #unsubscribe: () => void
  readonly #fetches = new Fetches()
  readonly #unkept = new Generations<{ weight: number; until: number }>(unkeptBytes)
  readonly #onInvalidated: (key: string) => void

  constructor({ proxy, changes, clock, bytes, isTrusted, onEvicted, onInvalidated }: AppCacheParts) {
    this.#proxy = proxy
    this.#clock = clock
    this.#answers = new CachedAnswers(bytes)
    this.#largest = bytes / largestShare
    this.#room = new Room(bytes)
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

  async serve(req: IncomingMessage, res: ServerResponse, route: Route): Promise<void> {
    if (hasLeft(res)) return
    const request = new SentRequest(req, this.#isTrusted)
    if (this.#largest === 0) return this.#proxy.serve(req, res, route)
    if (!isSafe(req.method!)) return this.#change(request, res, route)
    const place = placeOf(request, route)
    if (place === undefined) return this.#proxy.serve(req, res, route)
    if (this.#isForApp(req)) return this.#proxy.serve(req, res, route)

    const cached = this.#answers.find(place.key, request)
    if (cached?.isFresh) return sendCached(req, res, cached, 'HIT')
    if (cached?.mayServeStale) {
      sendCached(req, res, cached, 'STALE')
      if (this.#fetches.find(place.key) === undefined)
        await this.#fetch({ request, res: undefined, route, place, cached })
      return
    }
    if (cached === undefined && this.#isUnkept(req, place)) return this.#proxy.serve(req, res, route)
    const underWay = this.#fetches.find(place.key)
    if (underWay === undefined) return this.#fetch({ request, res, route, place, cached })
    await underWay.ended
    if (hasLeft(res)) return
    const fetched = this.#answers.find(place.key, request)
    if (fetched?.isFresh) sendCached(req, res, fetched, 'HIT')
    // One of those who waited asks for all of them.
    else if (underWay.isAbandoned || underWay.isOutdated) await this.serve(req, res, route)
    else await this.#proxy.serve(req, res, route)
  }

  close(): void {
    this.#unsubscribe()
  }

  #evict(projectId: string, path: string): number {
    this.#fetches.outdate(place => place.path === path && place.projectId === projectId)
    return this.#answers.evict(projectId, path)
  }

  #clear(): void {
    this.#answers.clear()
    this.#fetches.outdate(() => true)
  }

  /**
   * A body is the app's alone: a fetch sends none, and an answer to it is no answer to others. Conditions that protect
   * a change are for the app to judge (RFC 9111, 4.3.2).
   */
  #isForApp(req: IncomingMessage): boolean {
    const { method, headers } = req
    if ((method !== 'GET' && method !== 'HEAD') || hasBody(req)) return true
    return headers['if-match'] !== undefined || headers['if-unmodified-since'] !== undefined
  }

  /** Nothing of it would be kept. */
  #isUnkept({ method, headers }: IncomingMessage, { key }: Place): boolean {
    if (method === 'HEAD' || headers.range !== undefined) return true
    return (this.#unkept.get(key)?.until ?? 0) > this.#clock.now()
  }

  /**
   * A request that may change something makes what was kept worthless, unless the app refuses it (RFC 9111, 4.4). The
   * app may have done its work when the visitor leaves before the answer, or the answer gets lost. That holds also for
   * requests whose own answers are never kept: an editor behind a password changes pages that everybody sees.
   */
  #change(request: SentRequest, res: ServerResponse, route: Route) {
    const { projectId } = route
    const path = readTarget(request.req.url!)?.path
    return this.#proxy.serve(request.req, res, route, {
      onAnswer: answer => {
        for (const changed of path === undefined ? [] : pathsChanged(request, path, answer)) {
          this.#evict(projectId, changed)
          this.#onInvalidated(`${projectId} ${changed}`)
        }
      },
    })
  }

  /** Asks the app, answers the visitor who waits, and keeps what may be kept. */
  async #fetch(query: Query): Promise<void> {
    const { request, res, route, place, cached } = query
    const { req } = request
    const fetch = this.#fetches.begin(place)
    const departure = new Departure(res)
    const done = this.#proxy.busy(route)
    try {
      const answer = await this.#proxy.fetch(request, route, {
        conditions: cached?.conditions ?? [],
        departure,
        res,
      })
      const lifetime = this.#lifetimeOf(request, answer.statusCode!, answer.rawHeaders)
      const isKept = lifetime !== undefined && Number(answer.headers['content-length'] ?? 0) <= this.#largest
      if (answer.statusCode === 304 && cached !== undefined) {
        answer.resume()
        const renewed = this.#renew(query, cached, answerHeaders(answer, route))
        if (!fetch.isOutdated) this.#replace(cached, renewed, request)
        if (res) sendCached(req, res, renewed ?? cached, 'REVALIDATED')
      } else if (answer.statusCode! >= 500 && cached?.mayStandIn) {
        answer.destroy()
        if (res) sendCached(req, res, cached, 'STALE')
      } else if (isKept) {
        // Others may wait for it: it is read to its end, even if the visitor leaves.
        departure.ignore()
        const read = await this.#read(query, answer, lifetime)
        if (fetch.isOutdated || read === 'broken off') return
        this.#replace(cached, read === 'too large' ? undefined : read, request)
        if (read === 'too large') this.#noteUnkept(place)
      } else {
        // Drop the stale entry when the app no longer wants its answers kept. Keep it when the app fails.
        if (answer.statusCode! < 500) this.#replace(cached, undefined, request)
        if (res) this.#noteUnkept(place)
        this.#fetches.end(fetch)
        if (res === undefined || hasLeft(res)) answer.destroy()
        else {
          deliver(answer, res, [...answerHeaders(answer, route), 'X-Svc-Cache', 'BYPASS'])
          await new Promise(closed => res.once('close', closed))
        }
      }
    } catch (error) {
      fetch.isAbandoned = departure.isGone
      if (res === undefined || departure.isGone) return
      if (cached?.mayStandIn && !res.headersSent) sendCached(req, res, cached, 'STALE')
      else this.#proxy.refuse(req, res, error)
    } finally {
      this.#fetches.end(fetch)
      done()
    }
  }

  #lifetimeOf(request: SentRequest, status: number, headers: readonly string[]): Lifetime | undefined {
    const isPersonal = request.field('authorization') !== undefined
    return lifetimeOf({ status, headers }, { isPersonal, now: this.#clock.now() })
  }

  /** Undefined if the answer may no longer be kept. */
  #renew({ request, place }: Query, cached: CachedAnswer, said: string[]): CachedAnswer | undefined {
    this.#addDate(said)
    const answered = { ...cached.answered, headers: renewedHeaders(cached, said) }
    const lifetime = this.#lifetimeOf(request, answered.status, answered.headers)
    return lifetime && new CachedAnswer({ place, answered, lifetime, request, clock: this.#clock })
  }

  /** An answer without a date was made when it came. */
  #addDate(headers: string[]): void {
    if (fieldIn(headers, 'date') === undefined)
      headers.push('Date', new Date(this.#clock.now()).toUTCString())
  }

  #noteUnkept({ key }: Place): void {
    this.#unkept.set(key, { weight: 128 + key.length, until: this.#clock.now() + unkeptMs })
  }

  #replace(old: CachedAnswer | undefined, by: CachedAnswer | undefined, request: SentRequest): void {
    if (by !== undefined) this.#answers.put(by, request)
    else if (old !== undefined) this.#answers.drop(old)
  }

  /** The whole answer, once it was read; the visitor gets it as it comes. */
  async #read({ request, res, route, place, cached }: Query, answer: IncomingMessage, lifetime: Lifetime) {
    const headers = answerHeaders(answer, route)
    this.#addDate(headers)
    const state: CacheState = cached === undefined ? 'MISS' : 'EXPIRED'
    const visitor = res && { res, headers: [...headers, 'X-Svc-Cache', state] }
    const body = await tee(answer, visitor, { atMost: this.#largest, room: this.#room })
    if (!Buffer.isBuffer(body)) return body
    const answered = { status: answer.statusCode!, message: answer.statusMessage, headers, body }
    return new CachedAnswer({ place, answered, lifetime, request, clock: this.#clock })
  }
}
