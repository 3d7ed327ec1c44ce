// Upgrade requests. node:http hands them over together with the connection. Those that no app accepts go back to node:http
// as ordinary requests.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { headerLines, headersWithout } from '../lib/raw-headers.ts'
import { hopByHop } from './proxy/hop-by-hop.ts'

export interface Upgrade {
  /** The value of the Upgrade header. */
  protocol: string
  socket: Socket
  /** Bytes that arrived after the head of the request. */
  head: Buffer
  /** For an answer in HTTP instead of an upgrade. The connection closes after it. */
  res: ServerResponse
  /** Answers the request as if it had no Upgrade header. */
  decline(): void
}

/** Returns `undefined` and declines if the request must not be passed on as an upgrade. */
export function readUpgrade(
  server: Server,
  req: IncomingMessage,
  duplex: Duplex,
  head: Buffer,
  onDecline: () => void = () => undefined,
): Upgrade | undefined {
  const socket = duplex as Socket
  const protocol = req.headers.upgrade ?? ''
  if (!isPassable(req, protocol)) return void replay(server, req, socket, head)
  socket.on('error', () => socket.destroy())
  let res: ServerResponse | undefined
  return {
    protocol,
    socket,
    head,
    get res() {
      res ??= responseOn(req, socket)
      return res
    },
    decline() {
      res?.detachSocket(socket)
      onDecline()
      replay(server, req, socket, head)
    },
  }
}

/**
 * An upgrade to HTTP/2 (h2c) would tunnel requests to the app unchecked, with header fields that only the platform may set.
 * An upgrade with a body is refused because servers disagree on what it means.
 */
function isPassable({ headers, method }: IncomingMessage, protocol: string): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody && !offersHttp2(protocol)
}

/** Upgrade is a list (RFC 9110, 7.8), and the app may choose any of its protocols. */
const offersHttp2 = (protocols: string): boolean =>
  protocols.split(',').some(protocol => /^h2c?(?:\/|$)/i.test(protocol.trim()))

/** Puts the request back on the connection without its Upgrade header and lets the server read it again. */
function replay(server: Server, req: IncomingMessage, socket: Socket, head: Buffer): void {
  const isHop = hopByHop(req.rawHeaders)
  const headers = headersWithout(req.rawHeaders, name => name !== 'transfer-encoding' && isHop(name))
  if (/\bclose\b/i.test(req.headers.connection ?? '')) headers.push('Connection', 'close')
  const text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n${headerLines(headers)}\r\n`
  // The server adds its own listeners again.
  for (const event of ['timeout', 'drain', 'error']) socket.removeAllListeners(event)
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]))
  server.emit('connection', socket)
}

function responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket)
  socket.on('drain', () => res.emit('drain'))
  res.once('finish', () => {
    res.detachSocket(socket)
    socket.destroySoon()
  })
  return res
}
