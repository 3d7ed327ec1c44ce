// What is known of a request besides what it says itself.

/** Who opened the connection: a client, or a proxy before it. */
export interface Peer {
  readonly address: string
  /** The connection is encrypted (TLS). */
  readonly secure: boolean
}

export interface Received {
  readonly peer: Peer
  /** Names this one request in the log, in error answers, and to the app behind a site. */
  readonly requestId: string
}
