// Allows calls of the API from a browser for the origin of the dashboard alone.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Returns true if the request was a preflight and is answered. */
export function allowOrigin(dashboard: string, req: IncomingMessage, res: ServerResponse): boolean {
  const allowed = req.headers.origin === dashboard
  if (allowed) {
    res.setHeader('access-control-allow-origin', dashboard)
    res.setHeader('vary', 'Origin')
    res.setHeader('access-control-expose-headers', 'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining')
  }
  if (!allowed || req.method !== 'OPTIONS' || !req.headers['access-control-request-method']) return false
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers':
      'Authorization, Content-Type, X-Svc-Cli-Version, X-Svc-Git-Sha, X-Svc-Git-Message, X-Svc-Git-Author',
    'access-control-max-age': '7200',
  })
  res.end()
  return true
}
