// The HTTP and HTTPS listeners. They pass each request to the part of the platform that its host belongs to.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { minuteMs } from '@svc/contract/durations'
import type { HttpHandler } from './api/server.ts'
import { type Connections, guardConnections } from './edge/connections.ts'
import type { Edge } from './edge/edge.ts'
import { Exchange } from './edge/exchange.ts'
import { type Destination, type Hosts, isPlatform } from './edge/hosts.ts'
import { http2Connections } from './edge/https/http2-server.ts'
import { readTlsByEvents } from './edge/https/tls-events.ts'
import { type Certificates, createTlsServer } from './edge/https/tls-server.ts'
import type { Transport } from './edge/https/transport.ts'
import { wantsLane } from './edge/lane-choice.ts'
import { laneSources } from './edge/lane-sources.ts'
import { Http1Lane } from './edge/lanes/lanes.ts'
import { sendPage } from './edge/pages.ts'
import { isBehindLast, onRequests } from './edge/unread-bodies.ts'
import { readUpgrade, type Upgrade } from './edge/upgrades.ts'
import { refusalOf } from './edge/well-formed.ts'
import { bindSocket, type ListeningSocket } from './lib/listening-sockets.ts'
import { strictTransport } from './lib/platform-fields.ts'
import { closeQueuedAnswers } from './lib/queued-answers.ts'
import type { Peer } from './lib/received.ts'
import type { Secret } from './lib/secret.ts'

type PartName = Exclude<Destination['to'], 'site' | 'domain' | 'unknown'>

/** A part of the platform that has hosts of its own: the API, the dashboard, … */
export type Part = (exchange: Exchange, upgrade?: Upgrade) => void
export type Parts = Record<PartName, Part>

/** Adapts handlers that answer with the methods of node:http. Only the API takes upgrades. */
export function respondingTo(handlers: Partial<Record<PartName, HttpHandler>>): Partial<Parts> {
  const part =
    (name: string, handle: HttpHandler): Part =>
    (exchange, upgrade) => {
      if (upgrade && name !== 'api') return upgrade.decline()
      exchange.setCommonHeaders()
      const { req, res, peer, requestId } = exchange
      handle(req, res, upgrade ? { peer, requestId, upgrade } : exchange)
    }
  return Object.fromEntries(Object.entries(handlers).map(([name, handle]) => [name, part(name, handle)]))
}

export const partOf = (parts: Partial<Parts>, { destination }: Exchange): Part | undefined =>
  (parts as Partial<Record<Destination['to'], Part>>)[destination.to]

export interface Listener {
  readonly port: number
  readonly tlsPort: number | undefined
  /**
   * Before this is called, requests and TLS handshakes wait. Resolves when connections are accepted. On sockets of another
   * process, that is only now.
   */
  dispatchTo(served: RequestHandlers): Promise<void>
  /**
   * Accepts no new connections, lets requests finish, and closes what is left after the grace time. Each answer says that it is
   * the last of its connection. A connection without a request is closed after `idleMs`: the client may be sending one.
   */
  stop(graceMs: number, idleMs?: number): Promise<void>
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

/** The sockets of the two listeners. Without `https` there is no HTTPS listener. */
export interface Sockets {
  http: ListeningSocket
  https?: ListeningSocket | undefined
}

export interface ListenOptions {
  host: string
  port: number
  /** Without it there is no HTTPS listener. */
  tlsPort?: number | undefined
  /** Used in place of new sockets. */
  sockets?: Sockets
  timeouts?: ClientTimeouts
  /** How many TLS handshakes may be under way at the same time. */
  handshakesAtOnce?: number
  /** The largest size of a request's line and header fields together. */
  headerBytes?: number
  connections?: Connections
  /** Whether an address is that of a trusted proxy, whose connections have requests of many visitors. */
  isProxy?(address: string): boolean
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
  const { timeouts = defaultTimeouts, headerBytes = defaultHeaderBytes } = options
  const { connections, fastLanes = true, isProxy = () => false, onError = () => undefined } = options
  const sockets = options.sockets ?? (await bindSockets(options))
  let begin: () => void = () => undefined
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  let dispatch: Handler = (req, res, peer) => void begun.then(() => dispatch(req, res, peer))
  let upgrade = (req: IncomingMessage, upgradeRequest: Upgrade): void =>
    void begun.then(() => upgrade(req, upgradeRequest))
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
  const answers = lastAnswers()
  // Requests with `Expect: 100-continue` go to the same handlers, which decide when to send `100 Continue`.
  onRequests(server, (req, res) => {
    answers.add(res)
    dispatch(req, res)
  })
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
  const http2 = http2Connections(handle, {
    headerBytes,
    timeouts: { keepAlive: keepAliveTimeout, ...timeouts },
  })
  let acceptHttp2 = (socket: TLSSocket) => http2.accept(socket)
  const secure =
    sockets.https &&
    createTls(options, onError, (socket, protocol) => {
      // The same server handles HTTP/1.1 with and without TLS, including WebSocket upgrades.
      if (protocol !== 'h2') server.emit('connection', socket)
      else if (connections?.admit(socket) ?? true) acceptHttp2(socket)
    })
  const accept = async (isInherited: boolean): Promise<void> => {
    if (sockets.http.isInherited === isInherited) await sockets.http.listen(server)
    if (sockets.https?.isInherited === isInherited) await sockets.https.listen(secure!.server)
  }
  await accept(false)
  return {
    port: sockets.http.port,
    tlsPort: sockets.https?.port,
    async dispatchTo({ hosts, parts, edge, transport, tls }) {
      dispatch = (req, res, peer) => {
        const exchange = new Exchange(req, res, hosts, { peer })
        const refusal = refusalOf(exchange)
        if (refusal !== undefined) return sendPage(exchange, refusal)
        transport.handle(exchange, () => (partOf(parts, exchange) ?? edge.handle)(exchange))
      }
      upgrade = (req, upgradeRequest) => {
        const exchange = new Exchange(req, upgradeRequest.res, hosts)
        if (refusalOf(exchange) !== undefined) return upgradeRequest.decline()
        transport.handle(exchange, () => (partOf(parts, exchange) ?? edge.upgrade)(exchange, upgradeRequest))
      }
      if (fastLanes) {
        const sources = laneSources({ hosts, transport, edge })
        const { files, apps } = sources
        // Clients of the API and the dashboard ask for nothing that a lane answers.
        const isForNode = (host: string, { address }: Peer) =>
          isPlatform(hosts.find(host)) && !isProxy(address)
        lane = new Http1Lane(server, files, { secureHeaders: strictTransport, headerBytes, apps, isForNode })
        acceptHttp2 = socket =>
          wantsLane(socket, { hosts, edge }, is => http2.accept(socket, is ? sources : undefined))
      }
      if (connections) guardConnections(server, connections)
      if (tls) await secure?.useCertificates(tls.certificates, tls.tickets)
      begin()
      await accept(true)
    },
    async stop(graceMs, idleMs = 0) {
      answers.end()
      lane?.drain()
      const stopped = [
        stopServer(server, graceMs, { lane, idleMs }),
        http2.stop(graceMs, idleMs),
        secure?.close(graceMs),
      ]
      // Upgraded connections may never end by themselves.
      for (const socket of upgraded) socket.destroy()
      await Promise.all(stopped)
      for (const socket of [sockets.http, sockets.https]) socket?.close()
    },
  }
}

/** Makes every answer that has not begun the last one of its connection, from `end` on. */
function lastAnswers(): { add(res: ServerResponse): void; end(): void } {
  const open = new Set<ServerResponse>()
  let isEnding = false
  return {
    add(res) {
      if (isEnding) res.shouldKeepAlive = false
      open.add(res)
      res.once('close', () => open.delete(res))
    },
    end() {
      isEnding = true
      for (const res of open) res.shouldKeepAlive = false
    },
  }
}

async function bindSockets({ host, port, tlsPort }: ListenOptions): Promise<Sockets> {
  const http = await bindSocket(host, port)
  if (tlsPort === undefined) return { http }
  const https = await bindSocket(host, tlsPort).catch(error => {
    http.close()
    throw error
  })
  return { http, https }
}

type Handler = (req: IncomingMessage, res: ServerResponse, peer?: Peer) => void

type Accept = Parameters<typeof createTlsServer>[0]['accept']

function createTls(options: ListenOptions, onError: (error: unknown) => void, accept: Accept) {
  const { timeouts = defaultTimeouts, handshakesAtOnce = 1_000 } = options
  return createTlsServer({ handshakeMs: timeouts.handshake, handshakesAtOnce, accept, onError })
}

/**
 * Stops a server. node:http takes a connection on which the lane answers for idle, so idle connections are closed only
 * after the lane has answered all.
 */
export async function stopServer(
  server: Server,
  graceMs: number,
  { lane, idleMs = 0 }: { lane?: Http1Lane | undefined; idleMs?: number } = {},
): Promise<void> {
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  const closeIdle = () => {
    lane?.closeIdle()
    if (!lane?.isAnswering) server.closeIdleConnections()
  }
  let idle: NodeJS.Timeout | undefined
  const wait = setTimeout(() => {
    closeIdle()
    idle = setInterval(closeIdle, 50)
  }, idleMs)
  const cut = setTimeout(() => {
    lane?.closeNow()
    server.closeAllConnections()
  }, graceMs)
  await closed
  // No connection is open any more. This call stops the timer of node:http.
  server.close(() => undefined)
  clearTimeout(wait)
  clearInterval(idle)
  clearTimeout(cut)
}
