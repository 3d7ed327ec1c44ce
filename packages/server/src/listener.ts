// The one listener: looks at the Host and hands the request to the part of the platform it is for.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpHandler } from './api/server.ts'
import type { Edge } from './edge/edge.ts'
import { FastLane } from './edge/fast-lane.ts'
import type { Destination, Hosts } from './edge/hosts.ts'
import { requestedHost } from './edge/hosts.ts'

export type Parts = Record<Exclude<Destination['to'], 'site' | 'domain' | 'unknown'>, HttpHandler>

export interface Listener {
  readonly port: number
  /** Until this is called every request is answered with 503. */
  serve(hosts: Hosts, parts: Partial<Parts>, edge: Sites): void
  /** Takes no new connections, lets requests end, and cuts off what is left after the grace time. */
  stop(graceMs: number): Promise<void>
}

/** Sites, and hosts that nobody knows. */
export type Sites = Pick<Edge, 'handle' | 'findHot'>

/** How long a client may take, in milliseconds. Nobody holds a connection for ever by sending slowly. */
export interface Patience {
  headers: number
  /** The body included: enough for the largest upload over a slow line. */
  request: number
  /** Without a byte in either direction; an upload that waits for its turn is silent, too. */
  silence: number
  /** Between two looks for those who are late. */
  check: number
}

const minute = 60_000
const defaultPatience: Patience = {
  headers: minute,
  request: 60 * minute,
  silence: 10 * minute,
  check: minute / 2,
}

export async function listen(host: string, port: number, patience = defaultPatience): Promise<Listener> {
  let dispatch: HttpHandler = (_req, res) => {
    res.writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain' }).end('Starting.\n')
  }
  let lane: FastLane | undefined
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    connectionsCheckingInterval: patience.check,
  })
  server.setTimeout(patience.silence)
  server.on('request', (req, res) => dispatch(req, res))
  // Whoever asks before sending a body is answered by the same handlers; they decide when it may come.
  server.on('checkContinue', (req, res) => dispatch(req, res))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(hosts, parts, edge) {
      dispatch = (req, res) => {
        const destination = hosts.find(requestedHost(req))
        const part = (parts as Partial<Record<Destination['to'], HttpHandler>>)[destination.to]
        if (part) part(req, res)
        else edge.handle(req, res, destination)
      }
      lane = new FastLane(server, request => edge.findHot(request, hosts.find(request.host)))
    },
    async stop(graceMs) {
      const stopped = stopServer(server, graceMs)
      lane?.close()
      await stopped
    },
  }
}

async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
