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
import { Http2Lane, type Http2LaneSources, receiveWindows } from '../lanes/lanes.ts'
import { hasSentEnd, readStreamAfterAnswer } from '../unread-bodies.ts'
import { isFinished } from './finished-sessions.ts'
import { PlainRequest, PlainResponse } from './http2-messages.ts'

export interface Http2Timeouts {
  /** A session without open requests is closed after this long without activity. */
  keepAlive: number
  /** A client is disconnected if it reads nothing of an answer, or sends nothing, for this long. 0 means without limit. */
  idle: number
  /** A request is closed if its body takes longer to arrive. */
  request: number
  /**
   * For a connection whose session has ended: it is closed after this long without a byte in either direction. Default: 30
   * seconds.
   */
  closing?: number
}

interface Http2Connections {
  /** Takes over a connection that negotiated HTTP/2. With `sources`, a lane answers requests from these. */
  accept(socket: TLSSocket, sources?: Http2LaneSources): void
  /**
   * Lets requests finish, and destroys the sessions that are left after `graceMs`. Until `idleMs` have passed, requests that
   * clients had sent before they heard of it are answered, too.
   */
  stop(graceMs: number, idleMs?: number): Promise<void>
}

/** How often sessions are checked for those that can neither read nor send any more. */
const checkMs = 1_000

const defaultClosingMs = 30_000
/** How long connections may take to close when their sessions are destroyed because svcd stops. */
const lastClosingMs = 1_000

/** Fixed limits of node:http2. `maxSessionMemory` is in megabytes. */
const bounds = {
  maxSessionMemory: 10,
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSettings: 16,
}

/**
 * How many requests a client may reset. A browser resets the requests of a page that the visitor leaves. An attacker
 * resets requests without end ("rapid reset"), because a reset costs the server more than the client.
 */
const resetByClient = { burst: 200, perSecond: 20 }

/** `peer` is given if the connection has a lane, because `req.socket` then does not know the client's address. */
type Handle = (req: IncomingMessage, res: ServerResponse, peer?: Peer) => void

interface Http2Limits {
  /** How many bytes the method, the URL and the header fields of a request may have together. */
  headerBytes: number
  timeouts: Http2Timeouts
}

export function http2Connections(handle: Handle, { headerBytes, timeouts }: Http2Limits): Http2Connections {
  const sessions = new Map<Http2Session, WatchedSession>()
  /** The open connections, also of sessions that have ended. */
  const sockets = new Set<TLSSocket>()
  /** The connection that `accept` is handing to node:http2. The listener of 'session' reads it. */
  let arriving: { socket: TLSSocket; lane: Http2Lane | undefined } | undefined
  let isStopped = false
  /** Set while the sessions end: how long each of them still takes requests. */
  let endsAfterMs: number | undefined
  const server = createServer({
    ...bounds,
    settings: {
      maxConcurrentStreams: 128,
      maxHeaderListSize: headerBytes,
      initialWindowSize: receiveWindows.stream,
    },
    Http2ServerRequest: PlainRequest,
    Http2ServerResponse: PlainResponse as typeof Http2ServerResponse,
  })
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    readStreamAfterAnswer(req)
    if (headBytes(req) > headerBytes) return refuseHead(res)
    const { session, id } = req.stream
    const lane = session && sessions.get(session)?.lane
    const plain = req as unknown as IncomingMessage
    lane?.takeBegun(id!)?.finish(plain, res as unknown as ServerResponse)
    handle(plain, res as unknown as ServerResponse, lane)
  }
  server.on('request', answer).on('checkContinue', answer)
  server.on('session', session => {
    const watched = watch(session, timeouts, arriving!)
    sessions.set(session, watched)
    session.once('close', () => sessions.delete(session))
    if (endsAfterMs !== undefined) watched.closeSoon(endsAfterMs)
  })
  const check = setInterval(() => {
    for (const watched of sessions.values()) watched.endIfFinished()
  }, checkMs).unref()
  return {
    accept(socket, sources) {
      if (isStopped) return void socket.destroy()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      const lane = sources && new Http2Lane(socket, sources, headerBytes)
      arriving = { socket, lane }
      server.emit('connection', lane ?? socket)
      arriving = undefined
    },
    async stop(graceMs, idleMs = 0) {
      endsAfterMs = idleMs
      const refuse = setTimeout(() => {
        isStopped = true
      }, idleMs)
      const cut = setTimeout(() => {
        for (const session of sessions.keys()) session.destroy()
      }, graceMs)
      const cutSockets = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs + lastClosingMs)
      for (const watched of sessions.values()) watched.closeSoon(idleMs)
      while (sockets.size > 0)
        await Promise.all([...sockets].map(socket => new Promise(resolve => socket.once('close', resolve))))
      clearTimeout(refuse)
      clearTimeout(cut)
      clearTimeout(cutSockets)
      clearInterval(check)
    },
  }
}

/**
 * Returns the size of a request's head, about as HTTP/1.1 would write it. Node enforces `maxHeaderListSize` only after the
 * client has acknowledged it. A client that never does that could send nghttp2's maximum of 64 KB.
 */
function headBytes({ method, url, rawHeaders }: Http2ServerRequest): number {
  let bytes = method.length + url.length
  // Each line has a name, a value, and four more bytes: a colon, a space and the line end.
  for (const nameOrValue of rawHeaders) bytes += nameOrValue.length + 2
  return bytes
}

function refuseHead(res: Http2ServerResponse): void {
  res.writeHead(431, { 'content-length': '0' })
  res.end()
}

interface WatchedSession {
  /** The lane between the client and node:http2, if the connection has one. */
  lane: Http2Lane | undefined
  /**
   * Announces the end of the session (RFC 9113 §6.8), and ends it after `ms`, when the open requests are answered. Until then
   * requests that were on their way are answered as well.
   */
  closeSoon(ms: number): void
  /** Ends the session if it could neither read nor send at this call and the one before. */
  endIfFinished(): void
}

/**
 * Watches a session, and ends it in a way that is safe. Node aborts the whole process in two cases that a client can bring
 * about:
 * - A frame breaks a rule, and Node destroys the session during the read (nodejs/node#64113, #64850). So here a session is
 *   destroyed after the read.
 * - A stream is opened on a session that is closed and has other streams. A client can do that behind its own GOAWAY, for
 *   which Node closes the session. So here a session is closed when its last stream has ended, and destroyed in the same turn
 *   of the event loop.
 */
function watch(
  session: ServerHttp2Session,
  { keepAlive, idle, request, closing = defaultClosingMs }: Http2Timeouts,
  { socket, lane }: { socket: TLSSocket; lane: Http2Lane | undefined },
): WatchedSession {
  /** Open streams, each with the number of sweeps for which the client has left data unread. */
  const open = new Map<ServerHttp2Stream, number>()
  const mayReset = allowance(resetByClient.burst, resetByClient.perSecond)
  let silentFor = 0
  let isClosing = false
  let wasFinished = false
  /** Whether the next request is the last one. node:http2 ignores all requests after its GOAWAY, so it sends none before. */
  let isLastNext = false
  const destroySession = session.destroy.bind(session)
  // Without a limit, a client that does not close its side would keep the connection open for ever. So would one that resets a TLS
  // connection: Node may never say that what was being written then has failed.
  const closeInTime = () => void socket.setTimeout(closing, () => socket.destroy())
  const destroyNow: typeof destroySession = (error, code) => {
    if (session.destroyed) return
    destroySession(error, code)
    closeInTime()
  }
  const closeNow = session.close.bind(session)
  session.destroy = (error, code) => void setImmediate(destroyNow, error, code)
  const endIfIdle = () => {
    if (!isClosing || open.size > 0 || lane?.isAnswering || session.destroyed) return
    // A session that is not closed would cut the connection, and with it what is still to be sent.
    closeNow()
    destroyNow()
  }
  const close = () => {
    if (isClosing || session.destroyed) return
    isClosing = true
    // After its own GOAWAY, node:http2 takes over no more requests from the lane.
    lane?.handOverBodies('all')
    if (lane?.isPassing) lane.announceEnd()
    else session.goaway()
    // A stream that was opened in the same read is in `open` only after it.
    setImmediate(endIfIdle)
  }
  session.close = close
  const closeSoon = (ms: number) => {
    if (ms === 0 || isClosing || session.destroyed) return close()
    if (lane) lane.announceEnd()
    else isLastNext = true
    const timer = setTimeout(close, ms)
    session.once('close', () => clearTimeout(timer))
  }
  session.setLocalWindowSize(receiveWindows.connection)
  // Without an error, `session.destroy` would ignore `code` and send 0.
  const refuse = (code: number) => session.destroy(new Error('The client broke a rule of HTTP/2.'), code)
  const onLaneIdle = () => {
    if (isClosing) setImmediate(endIfIdle)
  }
  lane?.attach({ mayReset, refuse, isClosed: () => isClosing, onLaneIdle })
  session.on('stream', stream => {
    silentFor = 0
    open.set(stream, 0)
    if (isLastNext) close()
    stream
      .on('drain', () => open.set(stream, 0))
      .once('close', () => {
        open.delete(stream)
        if (isClosing) setImmediate(endIfIdle)
        if (stream.aborted && !mayReset()) (lane ?? { refuse }).refuse(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      })
    if (!stream.endAfterHeaders) limitBody(stream, request)
  })
  // A listener, because `session.setTimeout` calls its callback only once.
  session.on('timeout', () => {
    silentFor = lane?.takeUsed() ? 0 : silentFor + keepAlive
    if (silentFor > 0 && open.size === 0 && !lane?.isAnswering) close()
    else if (idle > 0 && silentFor >= idle) session.destroy()
    else session.setTimeout(keepAlive)
  })
  session.setTimeout(keepAlive)
  // node:http2 also ends the session itself, if the lane has closed the connection.
  session.once('close', closeInTime)
  session.on('error', () => undefined) // A failed session closes its streams itself.
  const endIfFinished = () => {
    // nghttp2 knows only its own streams. After a GOAWAY without an error, those of the lane come to their end, too.
    const isOfLane = lane?.isAnswering && !lane.hasError
    const isDone = !isOfLane && isFinished(session)
    if (isDone && wasFinished) session.destroy()
    wasFinished = isDone
    // From then on, node:http2 limits how long a body takes.
    lane?.handOverBodies('old')
  }
  if (idle === 0) return { lane, closeSoon, endIfFinished }
  // Node's own timeout counts pings as activity. With pings, a client that reads nothing could keep a stream open for ever.
  const sweep = setInterval(() => {
    cutStuck(open)
    lane?.cutIfStuck()
  }, idle / 2).unref()
  session.once('close', () => clearInterval(sweep))
  return { lane, closeSoon, endIfFinished }
}

function cutStuck(open: Map<ServerHttp2Stream, number>): void {
  for (const [stream, looks] of open)
    if (!hasUnsent(stream)) open.set(stream, 0)
    else if (looks < 2) open.set(stream, looks + 1)
    else cut(stream)
}

/** Whether a part of the answer waits until the client reads. That may be no more than END_STREAM, which waits for a window, too. */
const hasUnsent = (stream: ServerHttp2Stream): boolean =>
  stream.writableLength > 0 || (stream.writableFinished && stream.headersSent && !hasSentEnd(stream))

function limitBody(stream: ServerHttp2Stream, ms: number): void {
  const late = setTimeout(cut, ms, stream).unref()
  const inTime = () => clearTimeout(late)
  stream.once('end', inTime).once('close', inTime)
}

const cut = (stream: ServerHttp2Stream): void => stream.close(constants.NGHTTP2_CANCEL)

/** Returns a token bucket: a function that allows `burst` calls at once, and `perSecond` calls a second on average. */
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
