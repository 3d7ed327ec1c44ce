// Tells the client that the connection ends (GOAWAY), unless node:http2 does it.
import { constants } from 'node:http2'
import { goaway, max31 } from './frames.ts'

interface GoodbyeParts {
  /** Whether a frame of the lane may come next, and node:http2 has sent no GOAWAY. */
  mayPut(): boolean
  /** The last stream that the client has opened, or 0. */
  lastId(): number
  put(bytes: Buffer): void
}

export class Goodbye {
  readonly #parts: GoodbyeParts
  /** Why the connection ends. */
  code: number = constants.NGHTTP2_INTERNAL_ERROR
  #isToAnnounce = false
  #isSaid = false

  constructor(parts: GoodbyeParts) {
    this.#parts = parts
  }

  /** Tells the client to send no further requests, as soon as that may be sent. Those that it has sent are still answered. */
  announce(): void {
    this.#isToAnnounce = true
    this.announceIfDue()
  }

  announceIfDue(): void {
    const { mayPut, lastId, put } = this.#parts
    // Many clients cannot send even their first request after it.
    if (!this.#isToAnnounce || lastId() === 0 || !mayPut()) return
    this.#isToAnnounce = false
    put(goaway(max31, constants.NGHTTP2_NO_ERROR))
  }

  /** Whether the last GOAWAY is still to be sent, and may be sent now. */
  get isDue(): boolean {
    return !this.#isSaid && this.#parts.mayPut()
  }

  /** Sends the last GOAWAY if `isDue`. After the first call none is sent. */
  say(isDue: boolean): void {
    if (isDue) this.#parts.put(goaway(this.#parts.lastId(), this.code))
    this.#isSaid = true
  }
}
