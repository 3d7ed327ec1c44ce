// A connection of a client that carries the bytes of another protocol, whatever carries it.
import type { Duplex } from 'node:stream'

export interface ByteTunnel {
  /** It waits for slow readers in both directions. Its errors need no listener. */
  readonly bytes: Duplex
  /** Resolves when the client has left, or is ended. */
  readonly gone: Promise<void>
  /** A sign of life, so that proxies do not take it for idle. */
  ping(): void
  /** Closes it, and tells the client why. */
  end(reason: string): void
}
