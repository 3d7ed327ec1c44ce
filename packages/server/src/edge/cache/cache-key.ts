// The cache key of a request. It covers everything the app receives of a request, except the header fields that `Vary`
// names.
import type { SentRequest } from '../proxy/sent-request.ts'
import type { Route } from '../route.ts'
import type { CacheKey } from './cached-answer.ts'

/** Header fields that make some frameworks act on another URL or another method than the request line has. */
const misleading = [
  'x-original-url',
  'x-original-host',
  'x-rewrite-url',
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  // Next.js uses these between its own parts.
  'x-invoke-path',
  'x-invoke-query',
  'x-invoke-status',
  'x-matched-path',
  'x-middleware-subrequest',
  'x-now-route-matches',
]

/** Header fields that change a framework's answer although it does not list them in `Vary`. */
const keyed = ['x-nextjs-data', 'x-middleware-prefetch']

/** A scheduled job must run every time, and its answer is not for visitors. */
const scheduled = 'x-svc-cron'

const bypassing = [...misleading, scheduled]

/** `undefined` if the answer must not be stored or shared. The request then bypasses the cache. */
export function cacheKeyOf(
  request: SentRequest,
  { projectId, deployment, noindex, guarded }: Route,
): CacheKey | undefined {
  const { exchange, forwarded } = request
  const { req, host = '', target } = exchange
  if (guarded || target === undefined) return undefined
  for (const name of bypassing) if (req.headers[name] !== undefined) return undefined
  const seenHost = forwarded.host === host ? '' : forwarded.host
  const origin = `${forwarded.proto} ${host} ${seenHost}`
  let asked = ''
  // Use the values that the app receives: a client can drop a field on the way by naming it in `Connection`.
  for (const name of keyed) asked += ` ${req.headers[name] === undefined ? '' : (request.field(name) ?? '')}`
  const key = `${deployment.id}${noindex ? '~' : ''} ${origin}${asked} ${target.written}${target.query}`
  return { text: key, projectId, path: target.path }
}
