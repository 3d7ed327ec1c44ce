// Connections between nodes: TLS 1.3 with a secret that is derived from the key that all nodes share. Both ends prove that they
// have the key, so a stranger gets no further than the handshake, and no certificates are needed.
import { connect, createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import { secondMs } from '@svc/contract/durations'
import type { Keyring, SealKey } from '../lib/seal.ts'
import { limitHandshakes } from './handshakes.ts'

export interface NodeAddress {
  host: string
  port: number
}

/** The key may be unknown at the other node while an operator changes it. */
type Keys = Pick<Keyring, 'keys'>

const handshakeMs = 5 * secondMs

const options = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
} as const satisfies TlsOptions

const secretOf = (key: SealKey): Buffer =>
  Buffer.from(key.derive('connections between nodes').reveal(), 'base64url')

/** Calls `accept` with each connection of another node. No more than `atMost` of them are open. */
export function secureServer(keyring: Keys, atMost: number, accept: (socket: TLSSocket) => void): Server {
  const open = new Set<TLSSocket>()
  const server = createServer(
    {
      ...options,
      allowHalfOpen: true,
      handshakeTimeout: handshakeMs,
      pskCallback: (_socket, identity) => {
        const key = keyring.keys.find(({ id }) => id === identity)
        return key ? secretOf(key) : null
      },
    },
    socket => {
      if (open.size >= atMost) return void socket.destroy()
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      accept(socket)
    },
  )
  limitHandshakes(server)
  // A stranger, or a node with another key. The other end says what failed.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

/** Connects to another node with the current key, then with the earlier ones. */
export async function connectSecurely(address: NodeAddress, keyring: Keys): Promise<TLSSocket> {
  let failure: unknown
  for (const key of keyring.keys) {
    try {
      return await connectWith(key, address)
    } catch (error) {
      failure = error
      if (!isRefusedKey(error)) throw error
    }
  }
  throw failure
}

const isRefusedKey = (error: unknown): boolean =>
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_SSL_')

function connectWith(key: SealKey, { host, port }: NodeAddress): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...options,
      host,
      port,
      pskCallback: () => ({ psk: secretOf(key), identity: key.id }),
      rejectUnauthorized: true,
      // Only called for a certificate. The secret identifies the other node, and no authority does.
      checkServerIdentity: () => new Error(`The node at ${host}:${port} has not the shared key.`),
    })
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const late = () => fail(new Error(`The node at ${host}:${port} does not answer.`))
    const timer = setTimeout(late, handshakeMs)
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      socket.off('error', fail).setNoDelay(true)
      resolve(socket)
    })
  })
}
