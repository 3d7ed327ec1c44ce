// The listener for other nodes. They pass requests on that they have no role for, and connect to apps that run here.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connect } from '../core/base/apps.ts'
import type { Edge } from '../edge/edge.ts'
import { Exchange } from '../edge/exchange.ts'
import type { Hosts } from '../edge/hosts.ts'
import { sendPage } from '../edge/pages.ts'
import { receivedBy } from '../edge/relay.ts'
import { readUpgrade } from '../edge/upgrades.ts'
import type { Keyring } from '../lib/seal.ts'
import { type Parts, partOf } from '../listener.ts'
import { addressOf } from './directory.ts'
import { type NodeAddress, secureServer } from './secure-link.ts'

export interface InnerServed {
  hosts: Hosts
  /** Those that this node has itself. */
  parts: Partial<Parts>
  /** Missing without the role `edge`. */
  edge?: Edge
  /** Missing without the role `runner`. */
  connectToApp?: Connect
}

export interface InnerListener {
  readonly port: number
  /** Lets the requests finish. Connections to apps stay. */
  drain(graceMs: number): Promise<void>
  close(): void
}

export async function openInnerListener(
  { host, port }: NodeAddress,
  keyring: Keyring,
  { hosts, parts, edge, connectToApp }: InnerServed,
  connectionsAtMost: number,
): Promise<InnerListener> {
  const open = new Set<Socket>()
  const answers = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (req, res) => {
    answers.add(res)
    res.once('close', () => answers.delete(res))
    const exchange = new Exchange(req, res, hosts, receivedBy(req))
    const isSite = exchange.destination.to === 'site' || exchange.destination.to === 'domain'
    const answer = partOf(parts, exchange) ?? (isSite ? edge?.handle : undefined)
    // A node that was started again may have other roles than the sender knows.
    if (answer) answer(exchange)
    else sendPage(exchange, 'unavailable')
  })
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  server.on('upgrade', (req, socket, head) => {
    const upgrade = readUpgrade(server, req, socket, head)
    if (!upgrade) return
    const exchange = new Exchange(req, upgrade.res, hosts, receivedBy(req))
    const take = partOf(parts, exchange) ?? edge?.upgrade
    if (take) take(exchange, upgrade)
    else upgrade.decline()
  })
  server.on('connect', (req, socket, head) => void tunnelToApp(req, socket, head, connectToApp))
  const secure = secureServer(keyring, connectionsAtMost, socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    server.emit('connection', socket)
  })
  await listenAt(secure, host, port)
  return {
    port: (secure.address() as AddressInfo).port,
    async drain(graceMs) {
      secure.close()
      for (const res of answers) res.shouldKeepAlive = false
      server.closeIdleConnections()
      const last = [...answers].map(res => once(res, 'close'))
      await Promise.race([Promise.all(last), sleep(graceMs, undefined, { ref: false })])
      // No connection was ever its own. This call stops the timer of node:http.
      server.close(() => undefined)
    },
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Listens on all addresses if the host is none of this machine, as behind NAT. */
function listenAt(server: ReturnType<typeof secureServer>, host: string, port: number): Promise<void> {
  let isEverywhere = false
  return new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (isEverywhere || (error.code !== 'EADDRNOTAVAIL' && error.code !== 'ENOTFOUND')) return reject(error)
      isEverywhere = true
      server.listen(port, resolve)
    })
    server.listen(port, host, resolve)
  })
}

/** Answers `CONNECT <app>:<port>` of another node's edge: connects to the app and passes the bytes on. */
async function tunnelToApp(
  { url = '' }: IncomingMessage,
  duplex: Duplex,
  head: Buffer,
  connectToApp: Connect | undefined,
): Promise<void> {
  const socket = duplex as Socket
  socket.on('error', () => socket.destroy())
  try {
    if (!connectToApp) throw new Error('this node runs no apps')
    const app = await connectToApp(addressOf(url))
    app.on('error', () => socket.destroy())
    if (socket.destroyed) return void app.destroy()
    socket.setTimeout(0)
    socket.write('HTTP/1.1 200 Connected\r\n\r\n')
    if (head.length > 0) app.write(head)
    join(socket, app)
    join(app, socket)
  } catch {
    // The other node says so to its visitor.
    socket.end('HTTP/1.1 502 Unreachable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  }
}

/** Passes bytes, the end and errors on from one socket to the other. */
function join(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()))
}
