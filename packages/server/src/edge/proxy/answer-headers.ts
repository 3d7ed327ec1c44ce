// The header fields of an app's answer that visitors receive.
import type { IncomingMessage } from 'node:http'
import { headersWithout } from '../../lib/raw-headers.ts'
import { keepPrivate } from '../representation.ts'
import type { Route } from '../route.ts'
import { hopByHop } from './hop-by-hop.ts'

/**
 * Fields that visitors do not receive from the app: those that only the platform sets, and `Trailer`, because trailers
 * cannot be sent to every client.
 */
export const droppedFields: ReadonlySet<string> = new Set([
  'x-svc-deployment',
  'x-svc-cache',
  'x-svc-request-id',
  'trailer',
])

export function answerHeaders(answer: IncomingMessage, route: Route): string[] {
  const { rawHeaders, statusCode } = answer
  const isHop = hopByHop(rawHeaders)
  const headers = headersWithout(rawHeaders, name => {
    if (isHop(name) || droppedFields.has(name)) return true
    if (name === 'content-length') return statusCode === 204
    return name === 'x-robots-tag' && route.noindex
  })
  headers.push('X-Svc-Deployment', route.deployment.id)
  if (route.noindex) headers.push('X-Robots-Tag', 'noindex')
  if (route.guarded) keepPrivate(headers)
  return headers
}
