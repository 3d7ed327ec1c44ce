// Facts about a request that are not in the request itself.
import type { Socket } from 'node:net'

/** The other end of the connection: a client or a proxy. */
export interface Peer {
  readonly address: string
  /** The connection is encrypted (TLS). */
  readonly secure: boolean
}

/** A request that asks for another protocol on its connection. */
export interface UpgradeRequest {
  /** The value of the Upgrade header. */
  readonly protocol: string
  /** Bytes that arrived after the head of the request. */
  readonly head: Buffer
  /** Takes the connection, on which no answer in HTTP follows. */
  take(): Socket
  /** Lets the server handle the request as if it had no Upgrade header. */
  decline(): void
}

export interface Received {
  readonly peer: Peer
  /** Identifies the request in logs, in error answers, and in the header that apps receive. */
  readonly requestId: string
  readonly upgrade?: UpgradeRequest
}
