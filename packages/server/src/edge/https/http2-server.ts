// The HTTP/2 side of the HTTPS listener: sessions on connections that TLS has opened, within bounds.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { PlainRequest, PlainResponse } from './http2-messages.ts'

export interface Http2Timeouts {
  /** How long a session may be without a request. */
  keepAlive: number
  /** How long a session with a request under way, or one request, may be silent. */
  idle: number
  /** How long a request's body may take. */
  request: number
}

export interface Http2Connections {
  /** Takes over a connection that agreed on HTTP/2. */
  accept(socket: TLSSocket): void
  /** Lets requests end, and cuts off what is left after the grace time. */
  stop(graceMs: number): Promise<void>
}

const MB = 1024 * 1024
/** So that an upload over a long line is not slowed down by waiting for room. */
const windowBytes = 1 * MB

/** Of everything but the headers' size, which is a setting. */
const bounds = {
  maxSessionMemory: 10,
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSettings: 16,
}

/**
 * Requests that a client takes back before they are answered: a browser does that to a page's worth of them, an attacker
 * without end, since each costs us more than it costs them.
 */
const takenBack = { burst: 200, perSecond: 20 }

type Handle = (req: IncomingMessage, res: ServerResponse) => void

export interface Http2Limits {
  /** Of a request's pseudo headers and header fields. */
  headerBytes: number
  timeouts: Http2Timeouts
}

export function http2Connections(handle: Handle, { headerBytes, timeouts }: Http2Limits): Http2Connections {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer({
    ...bounds,
    settings: { maxConcurrentStreams: 128, maxHeaderListSize: headerBytes, initialWindowSize: windowBytes },
    Http2ServerRequest: PlainRequest,
    Http2ServerResponse: PlainResponse as typeof Http2ServerResponse,
  })
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    if (headBytes(req) > headerBytes) return refuseHead(res)
    if (!req.stream.endAfterHeaders) res.once('finish', () => endUnread(req))
    handle(req as unknown as IncomingMessage, res as unknown as ServerResponse)
  }
  server.on('request', answer).on('checkContinue', answer)
  server.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    watch(session, timeouts)
  })
  return {
    accept: socket => void server.emit('connection', socket),
    async stop(graceMs) {
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy()
      }, graceMs)
      await Promise.all(
        [...sessions].map(session => new Promise<void>(resolve => session.close(() => resolve()))),
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

/** Nobody reads the rest of a body once its request is answered: the client is told not to send it. */
function endUnread(req: Http2ServerRequest): void {
  if (!req.complete) req.stream.close(constants.NGHTTP2_NO_ERROR)
}

function watch(session: ServerHttp2Session, { keepAlive, idle, request }: Http2Timeouts): void {
  /** Requests under way, with how often they were found standing still since they last moved. */
  const open = new Map<ServerHttp2Stream, number>()
  const mayTakeBack = allowance(takenBack.burst, takenBack.perSecond)
  let silentFor = 0
  session.setLocalWindowSize(2 * windowBytes)
  session.on('stream', stream => {
    silentFor = 0
    open.set(stream, 0)
    stream
      .on('drain', () => open.set(stream, 0))
      .once('close', () => {
        open.delete(stream)
        if (stream.aborted && !mayTakeBack()) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
      })
    if (!stream.endAfterHeaders) limitBody(stream, request)
  })
  session.setTimeout(keepAlive, () => {
    silentFor += keepAlive
    if (open.size === 0) session.close()
    else if (silentFor >= idle) session.destroy()
    else session.setTimeout(keepAlive)
  })
  session.on('error', () => undefined) // The session ends with it, and so do its streams; there is no one to tell.
  if (idle === 0) return
  // Node's own time limit counts pings as life: whoever takes nothing of an answer could hold it for ever.
  const sweep = setInterval(() => cutStuck(open), idle / 2).unref()
  session.once('close', () => clearInterval(sweep))
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

/** True as long as it is asked no more than `burst` times at once, and `perSecond` times on and on. */
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
