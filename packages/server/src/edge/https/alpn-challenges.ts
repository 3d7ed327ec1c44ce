// TLS-ALPN-01 (RFC 8737): while a challenge is pending, an authority that comes by TLS with the protocol `acme-tls/1` is shown a
// certificate that holds the answer. Everybody else is served as always.
import type { Socket } from 'node:net'
import { createServer, type SecureContext } from 'node:tls'
import { tlsOptions } from './tls-options.ts'

export interface AlpnChallenges {
  /** Whether a challenge of any name may be pending. Only then are new connections looked at. */
  readonly arePending: boolean
  /** The certificate for the challenge of this name. `undefined` if none is pending. */
  contextOf(name: string): Promise<SecureContext | undefined>
}

const protocol = 'acme-tls/1'

/** The name with its length, as it stands in the first bytes of a client. A client may send it elsewhere, but only to its own harm. */
const offered = Buffer.from([protocol.length, ...Buffer.from(protocol)])

interface Diversion {
  handshakeMs: number
  /** Takes all other connections. */
  serve: (socket: Socket) => void
  onError: (error: unknown) => void
}

/** Returns the listener for new connections. */
export function divertingChallenges(
  challenges: () => AlpnChallenges | undefined,
  { handshakeMs, serve, onError }: Diversion,
): (socket: Socket) => void {
  const forAuthority = createServer({
    ...tlsOptions,
    ALPNProtocols: [protocol],
    handshakeTimeout: handshakeMs,
    SNICallback(servername, done) {
      Promise.resolve(challenges()?.contextOf(servername.toLowerCase())).then(
        context => done(null, context),
        error => {
          onError(error)
          done(error)
        },
      )
    },
  })
  forAuthority.on('secureConnection', socket => socket.end())
  forAuthority.on('tlsClientError', (_error, socket) => socket.destroy())
  return socket => {
    if (!challenges()?.arePending) return serve(socket)
    const end = () => socket.destroy()
    const decide = () => {
      const first = socket.read() as Buffer | null
      if (first === null) return
      clearTimeout(limit)
      socket.off('readable', decide).off('error', end).off('end', end)
      socket.unshift(first)
      if (first.includes(offered)) forAuthority.emit('connection', socket)
      else serve(socket)
    }
    const limit = setTimeout(end, handshakeMs)
    socket.once('close', () => clearTimeout(limit))
    socket.on('readable', decide).on('error', end).on('end', end)
  }
}
