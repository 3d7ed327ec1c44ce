// Requests for another protocol. node:http hands all of them over together with the connection; those that nobody here
// wants go back to it as the ordinary requests that they also are.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hopByHop } from './proxy/hop-by-hop.ts'

export interface Upgrade {
  /** As the client wrote it. */
  protocol: string
  socket: Socket
  /** What came behind the request. */
  head: Buffer
  /** For whatever is answered in HTTP after all; the connection ends with it. */
  res: ServerResponse
  /** Answers it as if nothing but HTTP had been asked for. */
  decline(): void
}

/** Undefined, and declined, where the request cannot be passed on as an upgrade. */
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
 * HTTP/2 without TLS would open a way to the app that is not looked at any more, with header fields that only the
 * platform may write; and an upgrade with a body is something that no two servers agree on.
 */
function isPassable({ headers, method }: IncomingMessage, protocol: string): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody && !offersHttp2(protocol)
}

/** Upgrade is a list (RFC 9110, 7.8), and the app may choose any protocol of it. */
const offersHttp2 = (protocols: string): boolean =>
  protocols.split(',').some(protocol => /^h2c?(?:\/|$)/i.test(protocol.trim()))

/** The server reads the request again, without the wish. */
function replay(server: Server, req: IncomingMessage, socket: Socket, head: Buffer): void {
  const isHop = hopByHop(req.rawHeaders)
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`]
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!
    const lower = name.toLowerCase()
    if (lower === 'transfer-encoding' || !isHop(lower)) lines.push(`${name}: ${req.rawHeaders[i + 1]}`)
  }
  if (/\bclose\b/i.test(req.headers.connection ?? '')) lines.push('Connection: close')
  // The server sets its own again, each time.
  for (const event of ['timeout', 'drain', 'error']) socket.removeAllListeners(event)
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
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
