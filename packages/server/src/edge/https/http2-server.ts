// HTTP/2 sessions on connections that the TLS server accepted, with limits on what a client may do.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Peer } from '../../lib/received.ts'
import type { HotSource } from '../hot-source.ts'
import { Http2Lane } from '../lanes/http2/lane.ts'
import { PlainRequest, PlainResponse } from './http2-messages.ts'

export interface Http2Timeouts {
  /** A session without requests is closed after this. */
  keepAlive: number
  /** A session or request that moves no bytes for this long is closed. */
  idle: number
  /** The body of a request must arrive within this. */
  request: number
}

interface Http2Connections {
  /** Takes over a connection that negotiated HTTP/2. With `hot`, a lane answers from memory before node:http2. */
  accept(socket: TLSSocket, hot?: HotSource): void
  /** Lets requests finish, and closes what is left after the grace time. */
  stop(graceMs: number): Promise<void>
}

const MB = 1024 * 1024
/** Large enough that an upload over a connection with high latency need not wait for window updates. */
const windowBytes = 1 * MB

/** All limits except the size of headers, which is a setting. */
const bounds = {
  maxSessionMemory: 10,
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSettings: 16,
}

/**
 * How many requests a client may reset before they are answered. A browser resets those of one page. An attacker resets
 * without end ("rapid reset"), because a reset costs the server more than the client.
 */
const resetByClient = { burst: 200, perSecond: 20 }

/** `peer` is given if the request's own socket does not know it. */
type Handle = (req: IncomingMessage, res: ServerResponse, peer?: Peer) => void

interface Http2Limits {
  /** Of a request's pseudo headers and header fields. */
  headerBytes: number
  timeouts: Http2Timeouts
}

export function http2Connections(handle: Handle, { headerBytes, timeouts }: Http2Limits): Http2Connections {
  const sessions = new Map<Http2Session, WatchedSession>()
  /** The lane of the connection that is just being handed to node:http2. */
  let arriving: Http2Lane | undefined
  let isStopped = false
  const server = createServer({
    ...bounds,
    settings: { maxConcurrentStreams: 128, maxHeaderListSize: headerBytes, initialWindowSize: windowBytes },
    Http2ServerRequest: PlainRequest,
    Http2ServerResponse: PlainResponse as typeof Http2ServerResponse,
  })
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    if (headBytes(req) > headerBytes) return refuseHead(res)
    if (!req.stream.endAfterHeaders) res.once('finish', () => endUnread(req))
    const { session } = req.stream
    handle(
      req as unknown as IncomingMessage,
      res as unknown as ServerResponse,
      session && sessions.get(session)?.lane,
    )
  }
  server.on('request', answer).on('checkContinue', answer)
  server.on('session', session => {
    destroyLater(session)
    sessions.set(session, watch(session, timeouts, arriving))
    session.once('close', () => sessions.delete(session))
  })
  return {
    accept(socket, hot) {
      if (isStopped) return void socket.destroy()
      arriving = hot && new Http2Lane(socket, hot, headerBytes)
      server.emit('connection', arriving ?? socket)
      arriving = undefined
    },
    async stop(graceMs) {
      isStopped = true
      const cut = setTimeout(() => {
        for (const session of sessions.keys()) session.destroy()
      }, graceMs)
      await Promise.all(
        [...sessions].map(([session, watched]) => {
          const closed = new Promise<void>(resolve => session.once('close', () => resolve()))
          watched.close()
          return closed
        }),
      )
      clearTimeout(cut)
    },
  }
}

/**
 * Node enforces `maxHeaderListSize` only after the client acknowledged it, and a client need not do that: until then
 * nghttp2's own 64 KB apply. The head is measured as HTTP/1.1 would write it.
 */
function headBytes({ method, url, rawHeaders }: Http2ServerRequest): number {
  let bytes = method.length + url.length
  for (let i = 0; i < rawHeaders.length; i += 2)
    bytes += rawHeaders[i]!.length + rawHeaders[i + 1]!.length + 4
  return bytes
}

function refuseHead(res: Http2ServerResponse): void {
  res.writeHead(431, { 'content-length': '0' })
  res.end()
}

/** Tells the client not to send the rest of a body whose request is already answered. */
function endUnread(req: Http2ServerRequest): void {
  if (!req.complete) req.stream.close(constants.NGHTTP2_NO_ERROR)
}

/**
 * Node destroys a session in the middle of reading from it if a frame breaks a rule, and some frames then make the whole
 * process abort (nodejs/node#64113, #64850). Destroyed a moment later, a session ends well.
 */
function destroyLater(session: ServerHttp2Session): void {
  const destroy = session.destroy.bind(session)
  session.destroy = (error, code) => void setImmediate(destroy, error, code)
}

interface WatchedSession {
  /** Before node:http2 on this connection, if there is one. */
  lane: Http2Lane | undefined
  /** Takes no new requests, and ends when those under way are answered. */
  close(): void
}

const closeCheckMs = 50

function watch(
  session: ServerHttp2Session,
  { keepAlive, idle, request }: Http2Timeouts,
  lane: Http2Lane | undefined,
): WatchedSession {
  /** Open streams, with the number of sweeps in which they made no progress. */
  const open = new Map<ServerHttp2Stream, number>()
  const mayReset = allowance(resetByClient.burst, resetByClient.perSecond)
  let silentFor = 0
  session.setLocalWindowSize(2 * windowBytes)
  // Without an error of its own, node:http2 would send the code 0.
  const refuse = (code: number) => session.destroy(new Error('The client broke a rule of HTTP/2.'), code)
  const close = () => {
    session.close()
    // Node does not look again after a write that was under way.
    const check = setInterval(() => open.size === 0 && session.destroy(), closeCheckMs)
    session.once('close', () => clearInterval(check))
  }
  lane?.attach({ mayReset, refuse, isClosed: () => session.closed })
  session.on('stream', stream => {
    silentFor = 0
    open.set(stream, 0)
    stream
      .on('drain', () => open.set(stream, 0))
      .once('close', () => {
        open.delete(stream)
        if (stream.aborted && !mayReset()) refuse(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      })
    if (!stream.endAfterHeaders) limitBody(stream, request)
  })
  // Not as the callback of setTimeout, which is called once only.
  session.on('timeout', () => {
    silentFor = lane?.takeUsed() ? 0 : silentFor + keepAlive
    if (silentFor > 0 && open.size === 0) close()
    else if (idle > 0 && silentFor >= idle) session.destroy()
    else session.setTimeout(keepAlive)
  })
  session.setTimeout(keepAlive)
  session.on('error', () => undefined) // The session closes its streams itself. There is nothing else to do.
  if (idle === 0) return { lane, close }
  // Node's own timeout counts pings as activity, so a client that reads nothing could keep a stream for ever.
  const sweep = setInterval(() => {
    cutStuck(open)
    lane?.cutIfStuck()
  }, idle / 2).unref()
  session.once('close', () => clearInterval(sweep))
  return { lane, close }
}

function cutStuck(open: Map<ServerHttp2Stream, number>): void {
  for (const [stream, looks] of open)
    if (stream.writableLength === 0) open.set(stream, 0)
    else if (looks < 2) open.set(stream, looks + 1)
    else cut(stream)
}

function limitBody(stream: ServerHttp2Stream, ms: number): void {
  const late = setTimeout(cut, ms, stream).unref()
  const inTime = () => clearTimeout(late)
  stream.once('end', inTime).once('close', inTime)
}

const cut = (stream: ServerHttp2Stream): void => stream.close(constants.NGHTTP2_CANCEL)

/** A token bucket: returns true for `burst` calls at once and `perSecond` calls a second on average. */
function allowance(burst: number, perSecond: number): () => boolean {
  let left = burst
  let since = Date.now()
  return () => {
    const now = Date.now()
    left = Math.min(burst, left + ((now - since) / 1000) * perSecond) - 1
    since = now
    return left >= 0
  }
}
