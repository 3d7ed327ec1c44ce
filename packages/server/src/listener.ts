// The HTTP and HTTPS listeners. They pass each request to the part of the platform that its host belongs to.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { minuteMs } from '@svc/contract/durations'
import type { HttpHandler } from './api/server.ts'
import { type Connections, guardConnections } from './edge/connections.ts'
import type { Edge } from './edge/edge.ts'
import { Exchange } from './edge/exchange.ts'
import type { Destination, Hosts } from './edge/hosts.ts'
import { http2Connections } from './edge/https/http2-server.ts'
import { readTlsByEvents } from './edge/https/tls-events.ts'
import { type Certificates, listenTls } from './edge/https/tls-server.ts'
import type { Transport } from './edge/https/transport.ts'
import { wantsLane } from './edge/lane-choice.ts'
import { type AppLaneSource, type HotSource, Http1Lane } from './edge/lanes/lanes.ts'
import { sendPage } from './edge/pages.ts'
import { isBehindLast, onRequests } from './edge/unread-bodies.ts'
import { readUpgrade, type Upgrade } from './edge/upgrades.ts'
import { refusalOf } from './edge/well-formed.ts'
import { strictTransport } from './lib/platform-fields.ts'
import { closeQueuedAnswers } from './lib/queued-answers.ts'
import type { Peer } from './lib/received.ts'
import type { Secret } from './lib/secret.ts'

type PartName = Exclude<Destination['to'], 'site' | 'domain' | 'unknown'>

/** A part of the platform that has hosts of its own: the API, the dashboard, … */
export type Part = (exchange: Exchange) => void
export type Parts = Record<PartName, Part>

/** Adapts handlers that answer with the methods of node:http. */
export function respondingTo(handlers: Partial<Record<PartName, HttpHandler>>): Partial<Parts> {
  const part =
    (handle: HttpHandler): Part =>
    exchange => {
      exchange.setCommonHeaders()
      handle(exchange.req, exchange.res, exchange)
    }
  return Object.fromEntries(Object.entries(handlers).map(([name, handle]) => [name, part(handle)]))
}

export const partOf = (parts: Partial<Parts>, { destination }: Exchange): Part | undefined =>
  (parts as Partial<Record<Destination['to'], Part>>)[destination.to]

export interface Listener {
  readonly port: number
  readonly tlsPort: number | undefined
  /** Before this is called, every request is answered with 503 and TLS handshakes fail. */
  dispatchTo(served: RequestHandlers): void
  /** Accepts no new connections, lets requests finish, and closes what is left after the grace time. */
  stop(graceMs: number): Promise<void>
}

interface RequestHandlers {
  hosts: Hosts
  parts: Partial<Parts>
  edge: SiteHandlers
  transport: Transport
  /** Only needed with an HTTPS listener. */
  tls?: { certificates: Certificates; tickets: Secret }
}

/** Serves sites and unknown hosts. */
type SiteHandlers = Omit<Edge, 'close' | 'known'>

export interface ListenOptions {
  host: string
  port: number
  /** Without it there is no HTTPS listener. */
  tlsPort?: number | undefined
  timeouts?: ClientTimeouts
  /** How many TLS handshakes may be under way at the same time. */
  handshakesAtOnce?: number
  /** The largest size of a request's line and header fields together. */
  headerBytes?: number
  connections?: Connections
  /** If false, node:http and node:http2 answer every request. Default: true. */
  fastLanes?: boolean
  onError?: (error: unknown) => void
}

/** Timeouts for clients, in milliseconds, so that a client that sends slowly cannot hold a connection for ever. */
interface ClientTimeouts {
  /** For a TLS handshake. */
  handshake: number
  headers: number
  /** For a whole request with its body. Enough for the largest upload over a slow connection. */
  request: number
  /** For a connection without a byte in either direction. An upload that waits in the queue is idle as well. */
  idle: number
  /** How often connections are checked for timeouts. */
  check: number
}

const keepAliveTimeout = 65_000
const defaultHeaderBytes = 16 * 1024
export const defaultTimeouts: ClientTimeouts = {
  handshake: minuteMs / 6,
  headers: minuteMs,
  request: 60 * minuteMs,
  idle: 10 * minuteMs,
  check: minuteMs / 2,
}

export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, timeouts = defaultTimeouts, headerBytes = defaultHeaderBytes } = options
  const { connections, fastLanes = true, onError = () => undefined } = options
  let dispatch: Handler = (_req, res) => {
    res.writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain' }).end('Starting.\n')
  }
  let upgrade: (req: IncomingMessage, upgradeRequest: Upgrade) => void = (_req, upgradeRequest) =>
    upgradeRequest.decline()
  let lane: Http1Lane | undefined
  const handle: Handler = (req, res, peer) => dispatch(req, res, peer)
  const upgraded = new Set<Duplex>()
  const server = createServer({
    keepAliveTimeout,
    maxHeaderSize: headerBytes,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.check,
  })
  server.setTimeout(timeouts.idle)
  readTlsByEvents(server)
  // Requests with `Expect: 100-continue` go to the same handlers, which decide when to send `100 Continue`.
  onRequests(server, (req, res) => dispatch(req, res))
  closeQueuedAnswers(server)
  server.on('upgrade', (req, socket, head) => {
    // The connection closes after the answer to the request before.
    if (isBehindLast(req)) return void socket.on('error', () => socket.destroy())
    const forget = () => {
      upgraded.delete(socket)
      socket.off('close', forget)
    }
    const upgradeRequest = readUpgrade(server, req, socket, head, forget)
    if (upgradeRequest === undefined) return
    upgraded.add(socket)
    socket.once('close', forget)
    upgrade(req, upgradeRequest)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const http2 = http2Connections(handle, {
    headerBytes,
    timeouts: { keepAlive: keepAliveTimeout, ...timeouts },
  })
  let acceptHttp2 = (socket: TLSSocket) => http2.accept(socket)
  const secure = await openSecure(options, onError, (socket, protocol) => {
    // The same server handles HTTP/1.1 with and without TLS, including WebSocket upgrades.
    if (protocol !== 'h2') server.emit('connection', socket)
    else if (connections?.admit(socket) ?? true) acceptHttp2(socket)
  }).catch(async error => {
    await stopServer(server, 0)
    throw error
  })
  return {
    port: (server.address() as AddressInfo).port,
    tlsPort: secure?.port,
    dispatchTo({ hosts, parts, edge, transport, tls }) {
      dispatch = (req, res, peer) => {
        const exchange = new Exchange(req, res, hosts, { peer })
        const refusal = refusalOf(exchange)
        if (refusal !== undefined) return sendPage(exchange, refusal)
        transport.handle(exchange, () => (partOf(parts, exchange) ?? edge.handle)(exchange))
      }
      upgrade = (req, upgradeRequest) => {
        const exchange = new Exchange(req, upgradeRequest.res, hosts)
        if (refusalOf(exchange) !== undefined || partOf(parts, exchange)) return upgradeRequest.decline()
        transport.handle(exchange, () => edge.upgrade(exchange, upgradeRequest))
      }
      const hot: HotSource = {
        find: (request, isSecure) =>
          transport.mayLaneAnswer(request, isSecure)
            ? edge.findHot(request, hosts.find(request.host))
            : undefined,
        count: edge.countHot,
      }
      if (fastLanes) {
        const apps: AppLaneSource = {
          find: (head, peer) =>
            transport.mayLaneAnswer(head, peer.secure)
              ? edge.findApp(head, hosts.find(head.host), peer)
              : undefined,
          count: edge.countApp,
        }
        lane = new Http1Lane(server, hot, { secureHeaders: strictTransport, headerBytes, apps })
        acceptHttp2 = socket =>
          wantsLane(socket, { hosts, edge }, is => http2.accept(socket, is ? hot : undefined))
      }
      if (connections) guardConnections(server, connections)
      if (tls) secure?.useCertificates(tls.certificates, tls.tickets)
    },
    async stop(graceMs) {
      lane?.close()
      const stopped = [stopServer(server, graceMs, lane), http2.stop(graceMs), secure?.close(graceMs)]
      // Upgraded connections may never end by themselves.
      for (const socket of upgraded) socket.destroy()
      await Promise.all(stopped)
    },
  }
}

type Handler = (req: IncomingMessage, res: ServerResponse, peer?: Peer) => void

type Accept = Parameters<typeof listenTls>[0]['accept']

async function openSecure(options: ListenOptions, onError: (error: unknown) => void, accept: Accept) {
  const { host, tlsPort, timeouts = defaultTimeouts, handshakesAtOnce = 1_000 } = options
  if (tlsPort === undefined) return undefined
  const handshakeMs = timeouts.handshake
  return await listenTls({ host, port: tlsPort, handshakeMs, handshakesAtOnce, accept, onError })
}

/**
 * Stops a server. node:http takes a connection on which the lane answers for idle, so idle connections are closed only
 * after the lane has answered all.
 */
export async function stopServer(server: Server, graceMs: number, lane?: Http1Lane): Promise<void> {
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  const idle = setInterval(() => lane?.isAnswering || server.closeIdleConnections(), 50)
  const cut = setTimeout(() => {
    lane?.closeNow()
    server.closeAllConnections()
  }, graceMs)
  await closed
  // No connection is open any more. This call stops the timer of node:http.
  server.close(() => undefined)
  clearInterval(idle)
  clearTimeout(cut)
}
