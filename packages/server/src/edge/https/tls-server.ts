// The TLS server: presents the certificate of the requested server name, negotiates HTTP/2 or HTTP/1.1, and passes the
// connection on.

import type { Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { hourMs } from '@svc/contract/durations'
import type { Secret } from '../../lib/secret.ts'
import { type AlpnChallenges, divertingChallenges } from './alpn-challenges.ts'
import { ticketDay, ticketKeys, tlsOptions } from './tls-options.ts'

interface TlsServerSettings {
  /** The connection is closed if its handshake takes longer. */
  handshakeMs: number
  /** How many handshakes may be under way. One more closes the oldest. */
  handshakesAtOnce: number
  accept: (socket: TLSSocket, protocol: 'h2' | 'http/1.1') => void
  onError: (error: unknown) => void
}

interface TlsServer {
  /** Does not listen yet. */
  readonly server: Server
  /** Sets the certificates, and the secret of the session tickets. Handshakes wait until this is called. */
  useCertificates(certificates: Certificates, tickets: Secret): Promise<void>
  /** Accepts no new connections, and closes those that are open after the grace time. Resolves when all are closed. */
  close(graceMs: number): Promise<void>
}

export interface Certificates {
  /** May take some seconds, if the certificate is being issued. */
  find(name: string): Promise<SecureContext | undefined>
  /** The certificate for clients that send no server name, or one without a certificate. Browsers then show an error. */
  findDefault(): Promise<{ cert: string; key: string } | undefined>
  onDefaultChange(listener: () => void): void
  challenges?: AlpnChallenges
}

const sessionIdContext = 'svc'

export function createTlsServer(settings: TlsServerSettings): TlsServer {
  const { handshakeMs, handshakesAtOnce, accept, onError } = settings
  let show: (certificates: Certificates) => void = () => undefined
  const shown = new Promise<Certificates>(resolve => {
    show = resolve
  })
  let tickets: NodeJS.Timeout | undefined
  const server = createServer({
    ...tlsOptions,
    // Without it, the end of an answer may wait 40 ms for the client's delayed ACK. node:http sets it by default.
    noDelay: true,
    // Node's default is derived from the command line of the process. With a fixed value, sessions resume on other nodes.
    sessionIdContext,
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: handshakeMs,
    SNICallback(servername, done) {
      const name = servername.toLowerCase().replace(/\.$/, '')
      find(shown, name).then(
        context => done(null, context),
        error => {
          onError(error)
          done(error)
        },
      )
    },
  })
  server.on('secureConnection', socket => {
    setImmediate(closeIfReset, socket)
    accept(socket, socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1')
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  let challenges: AlpnChallenges | undefined
  const [serve] = server.listeners('connection') as [(socket: Socket) => void]
  server.off('connection', serve)
  server.on(
    'connection',
    divertingChallenges(() => challenges, { handshakeMs, serve: serve.bind(server), onError }),
  )
  boundHandshakes(server, handshakesAtOnce)
  const open = openSocketsOf(server)
  return {
    server,
    async useCertificates(certificates, secret) {
      const keys = () => ticketKeys(secret, ticketDay(Date.now()))
      const useDefault = async (): Promise<void> => {
        const pair = await certificates.findDefault()
        if (pair) server.setSecureContext({ ...tlsOptions, ...pair, sessionIdContext, ticketKeys: keys() })
      }
      const use = () => useDefault().catch(onError)
      server.setTicketKeys(keys())
      tickets = setInterval(() => server.setTicketKeys(keys()), hourMs).unref()
      certificates.onDefaultChange(() => void use())
      await use()
      challenges = certificates.challenges
      show(certificates)
    },
    async close(graceMs) {
      clearInterval(tickets)
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      const cut = setTimeout(() => {
        for (const socket of open) socket.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

const find = async (shown: Promise<Certificates>, name: string): Promise<SecureContext | undefined> =>
  await (await shown).find(name)

type Internals = { _handle?: { getpeername?(into: object): number } | null }

/**
 * Closes a connection that the client has reset. After the handshake, Node sends the session tickets. If it learns by that
 * that the connection was reset, it tells nobody, and every later write waits for ever.
 */
function closeIfReset(socket: TLSSocket): void {
  const error = (socket as unknown as Internals)._handle?.getpeername?.({}) ?? 0
  if (error !== 0) socket.destroy()
}

/**
 * Closes the oldest handshake when more than `atMost` are under way. Clients that connect and send nothing can thus only
 * close other handshakes, never established connections.
 */
function boundHandshakes(server: Server, atMost: number): void {
  const underWay = new Map<string, Socket>()
  server.on('connection', socket => {
    const peer = peerOf(socket)
    underWay.set(peer, socket)
    socket.once('close', () => underWay.get(peer) === socket && underWay.delete(peer))
    if (underWay.size <= atMost) return
    for (const oldest of underWay.values()) return void oldest.destroy()
  })
  server.on('secureConnection', socket => underWay.delete(peerOf(socket)))
}

/** The open connections: each as the socket below TLS, and after its handshake as that of TLS as well. */
function openSocketsOf(server: Server): Set<Socket> {
  const open = new Set<Socket>()
  const add = (socket: Socket): void => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  server.on('connection', add).on('secureConnection', add)
  return open
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
