// Facts about a request that are not in the request itself.

/** The other end of the connection: a client or a proxy. */
export interface Peer {
  readonly address: string
  /** The connection is encrypted (TLS). */
  readonly secure: boolean
}

export interface Received {
  readonly peer: Peer
  /** Identifies the request in logs, in error answers, and in the header that apps receive. */
  readonly requestId: string
}
