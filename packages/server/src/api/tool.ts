// Hands out the command-line tool as the npm package that fits this platform: `npm install -g <api>/svc.tgz`.
import type { HttpHandler } from './server.ts'

export function handOutTool(tool: Buffer | undefined, api: HttpHandler): HttpHandler {
  return (req, res, received) => {
    const isAskedFor = req.url === '/svc.tgz' && (req.method === 'GET' || req.method === 'HEAD')
    if (!isAskedFor || !tool) return api(req, res, received)
    res.writeHead(200, {
      'content-type': 'application/gzip',
      'content-length': tool.length,
      // An update of the platform changes this file.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    })
    res.end(req.method === 'HEAD' ? undefined : tool)
  }
}
