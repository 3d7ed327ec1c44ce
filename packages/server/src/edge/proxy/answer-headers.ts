// The header fields of an app's answer that visitors receive.
import type { IncomingMessage } from 'node:http'
import { keepPrivate } from '../representation.ts'
import type { Route } from '../route.ts'
import { hopByHop } from './hop-by-hop.ts'

/** Fields that only the platform sets, and `Trailer`, because trailers cannot be sent to every client. */
const dropped = new Set(['x-svc-deployment', 'x-svc-cache', 'x-svc-request-id', 'trailer'])

export function answerHeaders(answer: IncomingMessage, route: Route): string[] {
  const { rawHeaders, statusCode } = answer
  const isHop = hopByHop(rawHeaders)
  const headers: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const lower = name.toLowerCase()
    if (isHop(lower) || dropped.has(lower)) continue
    if (lower === 'content-length' && statusCode === 204) continue
    if (lower === 'x-robots-tag' && route.noindex) continue
    headers.push(name, rawHeaders[i + 1]!)
  }
  headers.push('X-Svc-Deployment', route.deployment.id)
  if (route.noindex) headers.push('X-Robots-Tag', 'noindex')
  if (route.guarded) keepPrivate(headers)
  return headers
}
