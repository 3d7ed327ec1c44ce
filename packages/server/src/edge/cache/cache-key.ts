// Where an answer belongs: by all that the app is told about a request besides the header fields that `Vary` names.
import type { SentRequest } from '../proxy/sent-request.ts'
import type { Route } from '../route.ts'
import type { CacheKey } from './cached-answer.ts'

/** Fields by which frameworks take a request for one to another address or by another method. */
const misleading = [
  'x-original-url',
  'x-original-host',
  'x-rewrite-url',
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  // Next.js between its own parts.
  'x-invoke-path',
  'x-invoke-query',
  'x-invoke-status',
  'x-matched-path',
  'x-middleware-subrequest',
  'x-now-route-matches',
]

/** Fields that browsers send, and by which a framework answers otherwise without saying so in `Vary`. */
const keyed = ['x-nextjs-data', 'x-middleware-prefetch']

/** A scheduled job is to be done, not answered from memory, and what the app tells it is not for visitors. */
const scheduled = 'x-svc-cron'

const bypassing = [...misleading, scheduled]

/** Undefined where no answer may be kept or shared: the request is for the app alone. */
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
  // By what the app sees: a client can remove a field on the way there by naming it in `Connection`.
  for (const name of keyed) asked += ` ${req.headers[name] === undefined ? '' : (request.field(name) ?? '')}`
  const key = `${deployment.id}${noindex ? '~' : ''} ${origin}${asked} ${target.written}${target.query}`
  return { text: key, projectId, path: target.path }
}
