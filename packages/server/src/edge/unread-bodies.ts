// Reads the rest of a request's body after its answer, within limits, and drops it. If the connection were closed while the
// client still sends, the client would often see an error in place of the answer. This is called a lingering close.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** How many bytes are read after the answer, for how long, and how long the client may send nothing meanwhile. */
const bounds = { bytes: 256 * 1024 * 1024, ms: 30_000, quietMs: 5_000 }
const checkMs = 250

/** Connections on which no further request is handled. */
const closing = new WeakSet<Socket>()

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Passes the requests of an HTTP/1 server to `handle`, those with `Expect: 100-continue` as well. After the answer, reads the
 * rest of the request's body.
 */
export function onRequests(server: Server, handle: Handle): void {
  const admit: Handle = (req, res) => {
    if (isBehindLast(req)) return
    if (!res.shouldKeepAlive) closing.add(req.socket)
    readBodyAfterAnswer(req, res)
    handle(req, res)
  }
  server.on('request', admit).on('checkContinue', admit)
}

/**
 * Whether the request came behind one with `Connection: close`, or behind an answer with it. Then it must not be handled
 * (RFC 9112 §9.6). node:http emits such a request if it came in the same read.
 */
export const isBehindLast = ({ socket }: IncomingMessage): boolean => closing.has(socket)

/** If the request has a body, arranges that the rest of it is read when the answer is sent. */
function readBodyAfterAnswer(req: IncomingMessage, res: ServerResponse): void {
  const { headers, socket } = req
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  let isHeld = false
  let isLast = false
  // node:http's own listener comes between these two. It closes the connection by `destroySoon` if the answer is the last.
  res.prependOnceListener('finish', () => {
    isHeld = !req.complete && !socket.destroyed
    if (!isHeld) return
    socket.destroySoon = () => {
      isLast = true
    }
  })
  res.once('finish', () => {
    if (!isHeld) return
    Reflect.deleteProperty(socket, 'destroySoon')
    // An app may answer before it has read the whole body, and go on reading.
    if (!dropUnlessUsed(req) && !isLast) return
    const stop = watch(
      () => socket.bytesRead,
      () => void socket.destroy(),
    )
    socket.once('close', stop)
    // The connection may have many such requests.
    req.once('end', () => {
      stop()
      socket.off('close', stop)
    })
    if (!isLast) return
    closing.add(socket)
    socket.end()
    req.once('end', () => socket.destroySoon())
  })
}

/**
 * HTTP/2: arranges that the request is read to its end. Else node:http2 resets the stream after the answer, often before it
 * has sent END_STREAM.
 */
export function readStreamAfterAnswer(req: Http2ServerRequest): void {
  const { stream } = req
  if (stream.endAfterHeaders) return void stream.resume()
  stream.once('finish', () => {
    if (stream.destroyed || stream.readableEnded || !dropUnlessUsed(req)) return
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    const stop = watch(
      () => bytes,
      () => {
        stream.pause()
        // A stream may be reset without an error only after END_STREAM (RFC 9113 §8.1). Until then the client reads nothing.
        if (hasSentEnd(stream)) stream.close(constants.NGHTTP2_NO_ERROR)
      },
    )
    stream.once('end', stop).once('close', stop)
  })
}

/** Whether the whole answer has been sent, with END_STREAM. */
export const hasSentEnd = ({ state }: Http2ServerRequest['stream']): boolean => state.localClose === 1

/** Reads and drops the rest of the body, unless something reads it. Returns whether it is dropped. */
function dropUnlessUsed(body: Readable): boolean {
  if (body.listenerCount('data') > 0 || body.listenerCount('readable') > 0) return false
  body.resume()
  return true
}

/** Calls `onOver` again and again once a limit is exceeded, until the returned function is called. */
function watch(readBytes: () => number, onOver: () => void): () => void {
  const start = { bytes: readBytes(), at: Date.now() }
  const last = { ...start }
  const timer = setInterval(() => {
    const now = Date.now()
    const bytes = readBytes()
    if (bytes !== last.bytes) Object.assign(last, { bytes, at: now })
    const isOver =
      bytes - start.bytes > bounds.bytes || now - start.at > bounds.ms || now - last.at > bounds.quietMs
    if (isOver) onOver()
  }, checkMs).unref()
  return () => clearInterval(timer)
}
