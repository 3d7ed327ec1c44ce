// Handles upgrade requests, which node:http emits together with their connection. A declined upgrade goes back to node:http
// as an ordinary request.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hopByHop } from '../lib/hop-by-hop.ts'
import { headerLines, headersWithout } from '../lib/raw-headers.ts'
import type { UpgradeRequest } from '../lib/received.ts'

export interface Upgrade extends UpgradeRequest {
  socket: Socket
  /** The response for an answer in HTTP instead of an upgrade. The connection closes after this answer. */
  res: ServerResponse
}

/** Returns the upgrade that a request asks for. If an app must not get it, declines it and returns `undefined`. */
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
    take() {
      res?.detachSocket(socket)
      return socket
    },
    decline() {
      res?.detachSocket(socket)
      onDecline()
      replay(server, req, socket, head)
    },
  }
}

/**
 * Whether an app may get the upgrade. HTTP/2 (h2c) would tunnel requests to the app unchecked, with header fields that only
 * the platform may set. An upgrade with a body is declined, because servers disagree on its meaning.
 */
function isPassable({ headers, method }: IncomingMessage, protocol: string): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody && !offersHttp2(protocol)
}

/** Whether a list of protocols contains HTTP/2. The app may choose any protocol of the list (RFC 9110, 7.8). */
const offersHttp2 = (protocols: string): boolean =>
  protocols.split(',').some(protocol => /^h2c?(?:\/|$)/i.test(protocol.trim()))

/** Puts the request back on the connection, without its Upgrade header, and lets the server read the request again. */
function replay(server: Server, req: IncomingMessage, socket: Socket, head: Buffer): void {
  const isHop = hopByHop(req.rawHeaders)
  const headers = headersWithout(req.rawHeaders, name => name !== 'transfer-encoding' && isHop(name))
  if (/\bclose\b/i.test(req.headers.connection ?? '')) headers.push('Connection', 'close')
  const text = `${req.method} ${req.url} HTTP/${req.httpVersion}\r\n${headerLines(headers)}\r\n`
  // The server adds these listeners again when it receives the connection.
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
