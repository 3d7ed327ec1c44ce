// The HTTP/2 side of the HTTPS listener: sessions on connections that TLS has opened, within bounds.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { PlainRequest, PlainResponse } from './http2-messages.ts'

export interface Http2Patience {
  /** How long a session may be without a request. */
  idle: number
  /** How long a session with a request under way, or one request, may be silent. */
  silence: number
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

const bounds = {
  maxSessionMemory: 10,
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSettings: 16,
  streamResetBurst: 200,
  streamResetRate: 20,
  settings: { maxConcurrentStreams: 128, maxHeaderListSize: 32 * 1024, initialWindowSize: windowBytes },
}

type Handle = (req: IncomingMessage, res: ServerResponse) => void

export function http2Connections(handle: Handle, patience: Http2Patience): Http2Connections {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer({
    ...bounds,
    Http2ServerRequest: PlainRequest,
    Http2ServerResponse: PlainResponse as typeof Http2ServerResponse,
  })
  const answer = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    if (!req.stream.endAfterHeaders) res.once('finish', () => endUnread(req))
    handle(req as unknown as IncomingMessage, res as unknown as ServerResponse)
  }
  server.on('request', answer).on('checkContinue', answer)
  server.on('session', session => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    watch(session, patience)
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

/** Nobody reads the rest of a body once its request is answered: the client is told not to send it. */
function endUnread(req: Http2ServerRequest): void {
  if (!req.complete) req.stream.close(constants.NGHTTP2_NO_ERROR)
}

function watch(session: ServerHttp2Session, { idle, silence, request }: Http2Patience): void {
  let open = 0
  let silentFor = 0
  session.setLocalWindowSize(2 * windowBytes)
  session.on('stream', stream => {
    open++
    silentFor = 0
    stream.once('close', () => open--)
    // A client that never reads, or never ends its body, may well send something else meanwhile.
    const cut = () => stream.close(constants.NGHTTP2_CANCEL)
    stream.setTimeout(silence, cut)
    if (stream.endAfterHeaders) return
    const late = setTimeout(cut, request).unref()
    stream.once('close', () => clearTimeout(late)).once('end', () => clearTimeout(late))
  })
  session.setTimeout(idle, () => {
    silentFor += idle
    if (open === 0) session.close()
    else if (silentFor >= silence) session.destroy()
    else session.setTimeout(idle)
  })
  session.on('error', () => undefined) // The session ends with it, and so do its streams; there is no one to tell.
}
