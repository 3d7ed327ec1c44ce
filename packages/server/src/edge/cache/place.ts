// Where an answer belongs: whatever the app is told of a request besides its header fields tells answers apart.
import type { IncomingMessage } from 'node:http'
import { requestedHost } from '../hosts.ts'
import { forwardedOf } from '../proxy/forwarded.ts'
import type { Route } from '../route.ts'
import { readTarget } from '../targets.ts'
import type { Place } from './cached-answer.ts'

/** Fields by which frameworks take a request for one to another address or by another method. */
const misleading = [
  'x-original-url',
  'x-rewrite-url',
  'x-host',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]

/** A scheduled job is to be done, not answered from memory, and what the app tells it is not for visitors. */
const scheduled = 'x-svc-cron'

/** Undefined where no answer may be kept or shared: the request is for the app alone. */
export function placeOf(
  req: IncomingMessage,
  { projectId, deployment, noindex, guarded }: Route,
  isTrusted: (address: string) => boolean,
): Place | undefined {
  const target = readTarget(req.url!)
  if (guarded || target === undefined) return undefined
  if ([...misleading, scheduled].some(name => req.headers[name] !== undefined)) return undefined
  const host = requestedHost(req)!.toLowerCase()
  const { proto, host: seenHost } = forwardedOf(req, host, isTrusted)
  const origin = `${proto} ${host} ${seenHost === host ? '' : seenHost}`
  const key = `${deployment.id}${noindex ? '~' : ''} ${origin} ${target.written}${target.query}`
  return { key, projectId, path: target.path }
}
