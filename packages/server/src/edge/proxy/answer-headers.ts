// The header fields of an app's answer that visitors receive.
import type { IncomingMessage } from 'node:http'
import { hopByHop } from '../../lib/hop-by-hop.ts'
import { droppedFields } from '../../lib/platform-fields.ts'
import { headersWithout } from '../../lib/raw-headers.ts'
import { keepPrivate } from '../representation.ts'
import type { Route } from '../route.ts'

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
