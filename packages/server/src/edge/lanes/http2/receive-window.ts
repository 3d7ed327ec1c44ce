// How much DATA the client may send on the connection and on a stream (RFC 9113, 6.9). Counts the bytes of requests' bodies that the lane
// keeps or passes to apps, and lets the client send as many again when they are gone. node:http2 counts its own streams.
import { windowUpdate } from './frames.ts'

const KB = 1024
/** Node's default of 64 KB makes uploads slow if the latency is high. */
const streamBytes = 1024 * KB
/** node:http2 announces these windows, and the lane keeps to them, too. */
export const receiveWindows = { stream: streamBytes, connection: 2 * streamBytes }

/**
 * How many bytes the lane keeps for a connection. Much less than the window of the connection, so that bodies that are not kept have
 * room, too.
 */
const mostKept = 128 * KB
/** Fewer bytes are not worth a frame of their own. The window of the connection is much larger. */
const leastCredit = 64 * KB

export class ReceiveWindow {
  /** Sends a frame as soon as one may come. */
  readonly #putSoon: (frame: Buffer) => void
  #kept = 0
  /** How many bytes were passed to apps that have not taken them yet. */
  #passed = 0
  /** How many bytes of DATA the client may send again, and was not told of. */
  #credit = 0

  constructor(putSoon: (frame: Buffer) => void) {
    this.#putSoon = putSoon
  }

  /** Returns false, and counts nothing, if these bytes would be too many. */
  keep(bytes: number): boolean {
    if (this.#kept + bytes > mostKept) return false
    this.#kept += bytes
    return true
  }

  /** These bytes are not kept any longer. `isCredited`: the client may send as many again. Otherwise node:http2 tells it so. */
  free(bytes: number, isCredited: boolean): void {
    this.#kept -= bytes
    if (isCredited) this.#give(bytes, 0)
  }

  /** Counts bytes that are passed to an app. Returns false, and counts nothing, if the client may not have sent so many. */
  spend(bytes: number): boolean {
    if (this.#kept + this.#passed + this.#credit + bytes > receiveWindows.connection) return false
    this.#passed += bytes
    return true
  }

  /** An app has taken these bytes, or no app gets them any more. The client is told when they are many. */
  credit(bytes: number): void {
    this.#passed -= bytes
    this.#give(bytes, leastCredit)
  }

  creditStream(id: number, bytes: number): void {
    this.#putSoon(windowUpdate(id, bytes))
  }

  #give(bytes: number, least: number): void {
    this.#credit += bytes
    if (this.#credit === 0 || this.#credit < least) return
    this.#putSoon(windowUpdate(0, this.#credit))
    this.#credit = 0
  }
}
