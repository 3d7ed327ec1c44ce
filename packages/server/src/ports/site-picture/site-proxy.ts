// The only way out of the browser that makes a picture: a proxy on the loopback interface that passes GET and HEAD requests for
// one site to the edge, and refuses everything else.
import * as http from 'node:http'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { PictureMark } from '../../lib/picture-mark.ts'
import { pictureField } from '../../lib/platform-fields.ts'

/** How much one picture may load. */
const bytesAtMost = 32 * 1024 * 1024
const requestsAtMost = 300
const methods = new Set(['GET', 'HEAD'])
/** Headers that belong to the connection with the browser, or that could identify somebody. */
const dropped = ['proxy-connection', 'proxy-authorization', 'connection', 'cookie', 'authorization']

interface SiteProxy {
  readonly port: number
  /** The status of the page, after redirects within the site. `undefined` before it has answered. */
  readonly pageStatus: number | undefined
  close(): void
}

interface Way {
  /** The edge of this process. Without it, the public URL of the site is used. */
  edge?: { socketPath: string } | undefined
  mark?: PictureMark
}

export async function openSiteProxy(site: URL, { edge, mark }: Way): Promise<SiteProxy> {
  let page = '/'
  let pageStatus: number | undefined
  let requests = 0
  let bytes = 0

  const server = http.createServer((req, res) => {
    const url = URL.canParse(req.url ?? '') ? new URL(req.url ?? '') : undefined
    if (url?.protocol !== 'http:' || url.host !== site.host || !methods.has(req.method ?? ''))
      return refuse(res)
    if (++requests > requestsAtMost || bytes > bytesAtMost) return refuse(res)
    const path = url.pathname + url.search
    const { request } = edge === undefined && site.protocol === 'https:' ? https : http
    const target = edge ?? { host: site.hostname, port: site.port }
    const headers: http.IncomingHttpHeaders = { ...req.headers, host: site.host }
    for (const name of dropped) delete headers[name]
    if (mark) headers[pictureField] = mark.make(site.hostname)
    const sent = request({ ...target, method: req.method, path, headers, agent: false }, answer => {
      const status = answer.statusCode ?? 502
      if (path === page) {
        pageStatus = status
        page = redirectWithin(site, path, status, answer.headers.location) ?? page
      }
      const { connection: _, 'set-cookie': __, ...kept } = answer.headers
      res.writeHead(status, kept)
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > bytesAtMost) answer.destroy()
      })
      pipeline(answer, res, () => undefined)
    })
    sent.on('error', () => refuse(res))
    res.on('close', () => sent.destroy())
    sent.end()
  })
  // A tunnel or a WebSocket could lead anywhere.
  server.on('connect', (_req, socket) => socket.destroy())
  server.on('upgrade', (_req, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    get pageStatus() {
      return pageStatus
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function refuse(res: http.ServerResponse): void {
  if (res.headersSent) res.destroy()
  else res.writeHead(403).end()
}

/** The path that the page redirects to, if it is on the same site. */
function redirectWithin(site: URL, path: string, status: number, location: string | undefined) {
  if (status < 300 || status > 399 || location === undefined) return undefined
  const base = `http://${site.host}${path}`
  const to = URL.canParse(location, base) ? new URL(location, base) : undefined
  return to?.host === site.host ? to.pathname + to.search : undefined
}
