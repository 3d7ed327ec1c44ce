// The cache key of a request: the deployment, the origin, the URL, and a few header fields on which frameworks' answers
// depend. The header fields that `Vary` names are not part of the key. `CachedAnswer` compares them.
import type { Forwarded } from '../proxy/forwarded.ts'
import type { SentRequest } from '../proxy/sent-request.ts'
import type { Route } from '../route.ts'
import type { Target } from '../targets.ts'
import type { CacheKey } from './cached-answer.ts'

/**
 * Header fields that make some frameworks use another host, URL or method than those of the request. Requests with such
 * a field bypass the cache.
 */
const misleading = [
  'x-original-url',
  'x-original-host',
  'x-rewrite-url',
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  // Internal fields of Next.js.
  'x-invoke-path',
  'x-invoke-query',
  'x-invoke-status',
  'x-matched-path',
  'x-middleware-subrequest',
  'x-now-route-matches',
]

/** Header fields that change a framework's answer, although the framework does not list them in `Vary`. */
const keyed = ['x-nextjs-data', 'x-middleware-prefetch']

/**
 * The field of a request that runs a scheduled job. Such a request must always reach the app, and its answer is not for
 * visitors.
 */
const scheduled = 'x-svc-cron'

const bypassing = [...misleading, scheduled]

/** Returns the cache key of the request, or `undefined` if the request must bypass the cache. */
export function cacheKeyOf(
  request: SentRequest,
  { projectId, deployment, noindex, guarded }: Route,
): CacheKey | undefined {
  const { exchange, forwarded } = request
  const { req, host = '', target } = exchange
  if (guarded || target === undefined) return undefined
  for (const name of bypassing) if (req.headers[name] !== undefined) return undefined
  let asked = ''
  // Use the value that the app receives. It is missing if the client names the field in `Connection`.
  for (const name of keyed) asked += ` ${req.headers[name] === undefined ? '' : (request.field(name) ?? '')}`
  const text = keyText({ deployment, noindex }, forwarded, host, asked, target)
  return { text, projectId, path: target.path }
}

/** Returns the key of a request without fields that are part of the key or bypass the cache (`specialFields`). */
export const plainCacheKey = (
  route: KeyedRoute,
  forwarded: Forwarded,
  host: string,
  target: Target,
): string => keyText(route, forwarded, host, ' '.repeat(keyed.length), target)

/** Names of fields that make a request bypass the cache, or that are part of the key. */
export const specialFields: readonly string[] = [...bypassing, ...keyed]

type KeyedRoute = Pick<Route, 'deployment' | 'noindex'>

function keyText(
  { deployment, noindex }: KeyedRoute,
  forwarded: Forwarded,
  host: string,
  asked: string,
  { written, query }: Target,
): string {
  const seenHost = forwarded.host === host ? '' : forwarded.host
  const origin = `${forwarded.proto} ${host} ${seenHost}`
  return `${deployment.id}${noindex ? '~' : ''} ${origin}${asked} ${written}${query}`
}
