// The interface between the HTTP/1.1 lane and server apps. It decides which requests the lane may pass to an app, and writes
// their answers to the access log.
import { type Access, type AccessLogParts, isRepeated } from '../core/stats/access.ts'
import { neededFields } from '../core/stats/fields.ts'
import { detached } from '../lib/detached.ts'
import type { Peer } from '../lib/received.ts'
import { newRequestId } from '../lib/request-ids.ts'
import type { AppUrl } from './app-urls.ts'
import type { AppCache } from './cache/app-cache.ts'
import { plainCacheKey } from './cache/cache-key.ts'
import { isSafe } from './cache/invalidation.ts'
import { acceptedCoding } from './compression/accepted-coding.ts'
import type { Files } from './files.ts'
import { hostname } from './hosts.ts'
import type { AppAnswer, Head } from './lanes/lanes.ts'
import { type Forwarded, ownForwarded } from './proxy/forwarded.ts'
import { requestHead } from './proxy/lane-request-head.ts'
import { LaneTarget } from './proxy/lane-target.ts'
import type { AppProxy } from './proxy/proxy.ts'
import type { Route } from './route.ts'
import { isPlatformPath, readTarget, type Target } from './targets.ts'

interface AppSourceParts extends AccessLogParts {
  files: Files
  cache: AppCache
  proxy: AppProxy
}

/** The most URLs whose last entry is remembered, and the most characters of such an entry. */
const lastAtMost = 1_000
const longestLast = 1_000

export class AppSource {
  readonly #parts: AppSourceParts
  /** By target: the last entry of the access log. Only filled under load. */
  readonly #last = new Map<string, Access>()

  constructor(parts: AppSourceParts) {
    this.#parts = parts
  }

  /**
   * Returns the target if the lane may pass the request to the app. The app must run and have an idle connection. For GET
   * and HEAD, no file, redirect, path password or cache entry may answer. For other methods, the site must have no path
   * passwords. `head` must be passable.
   */
  find(head: Head, route: Route, peer: Peer): LaneTarget | undefined {
    const { cache, proxy, isTrusted } = this.#parts
    if (route.deployment.kind !== 'server' || route.noindex || route.guarded) return undefined
    const forwarded = ownForwarded(peer, head.host)
    if (isTrusted(forwarded.for)) return undefined
    const target = head.isPlain ? this.#targetOfPlain(head, route, forwarded) : targetOfOther(head, route)
    const { coding, takesIdentity } = acceptedCoding(head.acceptEncoding)
    if (target === undefined || !takesIdentity) return undefined
    const requestId = newRequestId()
    const text = requestHead(head, forwarded, requestId)
    const lent = text === undefined ? undefined : proxy.lend(route)
    if (text === undefined || lent === undefined) return undefined
    const { projectId } = route
    const invalidate = isSafe(head.method) ? undefined : () => cache.invalidate(projectId, target.path)
    return new LaneTarget({
      route,
      address: lent.address,
      connection: lent.connection,
      forwarded,
      requestId,
      head: text,
      client: { coding, fields: head.fields, ifNoneMatch: head.ifNoneMatch },
      invalidate,
    })
  }

  /** Returns the target of a GET or HEAD if the app answers it, and the cache does not store the answer. */
  #targetOfPlain(head: Head, route: Route, forwarded: Forwarded): Target | undefined {
    const { target, host, method } = head
    const url = route.appUrls.find(target, host, forwarded.proto) ?? this.#readUrl(head, route, forwarded)
    return url && this.#parts.cache.isBypassed(method, url.cacheKey) ? url.target : undefined
  }

  #readUrl(head: Head, route: Route, forwarded: Forwarded): AppUrl | undefined {
    // The URL may be kept, and must not keep the whole head of the request in memory.
    const host = detached(head.host)
    const target = targetOf(detached(head.target))
    if (target === undefined) return undefined
    if (!this.#parts.files.isForApp(target, () => hostname(host) ?? '', route)) return undefined
    const { proto } = forwarded
    const cacheKey = plainCacheKey(route, { ...forwarded, host }, host, target)
    const url = { host, proto, target, cacheKey }
    route.appUrls.keep(url)
    return url
  }

  /** Writes an answer to the access log. Under load, only increments `times` of the last entry for the URL if it is equal. */
  count(target: LaneTarget, head: Head, { status, bytes, isHtml }: AppAnswer, peer: Peer): void {
    const { log, clock } = this.#parts
    const { route, requestId, startedAt } = target
    const { method, host } = head
    const html = isHtml ?? isUnchangedPage(head, status)
    const fields = html ? (head.loggedFields ?? neededFields(head.fields, false)) : ''
    const last = log.isBusy ? this.#last.get(head.target) : undefined
    if (
      isRepeated(last, { method, host, status, bytes, peer: peer.address, fields }) &&
      last.deploymentId === route.deployment.id &&
      last.html === html
    ) {
      last.times++
      return
    }
    const access: Access = {
      at: clock.now(),
      projectId: route.projectId,
      host: detached(host),
      method,
      target: detached(head.target),
      status,
      bytes,
      cache: status === 0 ? undefined : 'BYPASS',
      source: 'app',
      html,
      peer: peer.address,
      deploymentId: route.deployment.id,
      requestId,
      ms: Math.round(performance.now() - startedAt),
      fields: detached(fields),
      times: 1,
      taken: false,
    }
    log.add(access)
    if (log.isBusy) this.#remember(access)
  }

  #remember(access: Access): void {
    if (access.target.length + access.fields.length > longestLast) return
    if (this.#last.size >= lastAtMost) this.#last.clear()
    this.#last.set(access.target, access)
  }
}

const targetOfOther = ({ target }: Head, { hasNoPathPasswords }: Route): Target | undefined =>
  hasNoPathPasswords ? targetOf(target) : undefined

/** Returns `undefined` for a target that only the ordinary way handles. */
function targetOf(written: string): Target | undefined {
  const target = readTarget(written)
  return isPlatformPath(target) ? undefined : target
}

/** A 304 often has no Content-Type. Then the Accept header decides whether it is for an HTML page. */
const isUnchangedPage = ({ fields }: Head, status: number): boolean =>
  status === 304 && /^accept:.*text\/html/im.test(fields)
