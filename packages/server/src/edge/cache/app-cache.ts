// The shared cache before server apps: answers what the app allowed it to keep, asks the app for the rest, and asks
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
import type { Route } from '../route.ts'
import { CachedAnswer, type Place, type Policies, policiesBy } from './cached-answer.ts'
import { CachedAnswers } from './cached-answers.ts'
import { Fetches } from './fetches.ts'
import { placeOf } from './place.ts'
import { renew } from './renew.ts'
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
}

/** A request that the app is to be asked about. */
interface Query {
  req: IncomingMessage
  /** Undefined where nobody waits: an answer is fetched anew in the background. */
  res: ServerResponse | undefined
  route: Route
  place: Place
  cached: CachedAnswer | undefined
}

/** No answer may take more of the memory than this part. */
const largestShare = 8
/** How long it is remembered that answers at an address are not to be kept, so that nobody waits for another's. */
const unkeptMs = 10_000

export class AppCache {
  readonly #proxy: AppProxy
  readonly #clock: Clock
  readonly #answers: CachedAnswers
  readonly #policies: Policies
  readonly #largest: number
  readonly #room: Room
  readonly #isTrusted: (address: string) => boolean
  readonly #unsubscribe: () => void
  readonly #fetches = new Fetches()
  readonly #unkept = new Generations<{ weight: 1; until: number }>(10_000)

  constructor({ proxy, changes, clock, bytes, isTrusted, onEvicted }: AppCacheParts) {
    this.#proxy = proxy
    this.#clock = clock
    this.#answers = new CachedAnswers(bytes)
    this.#policies = policiesBy(clock)
    this.#largest = bytes / largestShare
    this.#room = new Room(bytes)
    this.#isTrusted = isTrusted
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
    const place = placeOf(req, route, this.#isTrusted)
    // A GET with a body is the app's alone: a fetch sends none, and an answer to it is no answer to others.
    if (place === undefined || this.#largest === 0 || hasBody(req)) return this.#proxy.serve(req, res, route)
    if (req.method !== 'GET' && req.method !== 'HEAD') return this.#change(req, res, route, place)

    const cached = this.#answers.find(place.key, req)
    if (cached?.isFresh) return sendCached(req, res, cached, 'HIT')
    if (cached?.mayWait) {
      sendCached(req, res, cached, 'STALE')
      if (this.#fetches.find(place.key) === undefined)
        await this.#fetch({ req, res: undefined, route, place, cached })
      return
    }
    if (cached === undefined && this.#isForApp(req, place)) return this.#proxy.serve(req, res, route)
    const underWay = this.#fetches.find(place.key)
    if (underWay === undefined) return this.#fetch({ req, res, route, place, cached })
    await underWay.ended
    if (hasLeft(res)) return
    const fetched = this.#answers.find(place.key, req)
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

  /** Nothing of it would be kept. */
  #isForApp({ method, headers }: IncomingMessage, { key }: Place): boolean {
    if (method === 'HEAD' || headers.range !== undefined) return true
    return (this.#unkept.get(key)?.until ?? 0) > this.#clock.now()
  }

  /** A request that changes something makes what was kept of its address worthless (RFC 9111, 4.4). */
  #change(
    req: IncomingMessage,
    res: ServerResponse,
    route: Route,
    { projectId, path }: Place,
  ): Promise<void> {
    if (req.method !== 'OPTIONS' && req.method !== 'TRACE')
      res.once('finish', () => {
        if (res.statusCode < 400) this.#evict(projectId, path)
      })
    return this.#proxy.serve(req, res, route)
  }

  /** Asks the app, answers whoever waits, and keeps what may be kept. */
  async #fetch(query: Query): Promise<void> {
    const { req, res, route, place, cached } = query
    const fetch = this.#fetches.begin(place)
    const departure = new Departure(res)
    const done = this.#proxy.busy(route)
    try {
      const answer = await this.#proxy.fetch(req, route, {
        conditions: cached?.conditions ?? [],
        departure,
        res,
      })
      const policy = this.#policies({ request: req, answer })
      const isKept = policy !== undefined && Number(answer.headers['content-length'] ?? 0) <= this.#largest
      if (answer.statusCode === 304 && cached !== undefined) {
        answer.resume()
        const asked = { request: req, answer }
        const renewed = renew(cached, asked, answerHeaders(answer, route), this.#policies)
        if (!fetch.isOutdated) this.#replace(cached, renewed, req)
        if (res) sendCached(req, res, renewed ?? cached, 'REVALIDATED')
      } else if (answer.statusCode! >= 500 && cached?.mayStandIn) {
        answer.destroy()
        if (res) sendCached(req, res, cached, 'STALE')
      } else if (isKept) {
        // Others may wait for it: it is read to its end, whoever goes away.
        departure.ignore()
        const read = await this.#read(query, answer)
        if (fetch.isOutdated || read === 'broken off') return
        const asked = { request: req, answer }
        const kept = read === 'too large' ? undefined : new CachedAnswer(place, policy, asked, read)
        this.#replace(cached, kept, req)
        if (kept === undefined) this.#noteUnkept(place)
      } else {
        // What the app wants nobody to have any more is not shown any longer; a failure says nothing of that.
        if (answer.statusCode! < 500) this.#replace(cached, undefined, req)
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

  #noteUnkept({ key }: Place): void {
    this.#unkept.set(key, { weight: 1, until: this.#clock.now() + unkeptMs })
  }

  #replace(old: CachedAnswer | undefined, by: CachedAnswer | undefined, req: IncomingMessage): void {
    if (by !== undefined) this.#answers.put(by, req)
    else if (old !== undefined) this.#answers.drop(old)
  }

  /** The answer whole, once it was read; the visitor gets it as it comes. */
  async #read({ res, route, cached }: Query, answer: IncomingMessage) {
    const headers = answerHeaders(answer, route)
    if (answer.headers.date === undefined) headers.push('Date', new Date(this.#clock.now()).toUTCString())
    const state: CacheState = cached === undefined ? 'MISS' : 'EXPIRED'
    const visitor = res && { res, headers: [...headers, 'X-Svc-Cache', state] }
    const body = await tee(answer, visitor, { atMost: this.#largest, room: this.#room })
    if (!Buffer.isBuffer(body)) return body
    return { status: answer.statusCode!, message: answer.statusMessage, headers, body }
  }
}
