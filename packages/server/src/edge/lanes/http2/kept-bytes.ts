// Counts the bytes of requests' bodies that the lane keeps until their apps begin to answer, and lets the client send as many
// again when they are gone.

/**
 * How many bytes the lane keeps for a connection. Much less than the window of the connection, so that bodies that are not kept have
 * room, too.
 */
const mostBytes = 128 * 1024
/** Fewer bytes are not worth a frame of their own. The window of the connection is much larger. */
const leastCredit = 64 * 1024

export class KeptBytes {
  readonly #sendCredit: (bytes: number) => boolean
  #kept = 0
  /** How many bytes of DATA the client may send again, and was not told of. */
  #credit = 0

  /** `sendCredit` enlarges the window of the connection. It returns false if that may not be done now. */
  constructor(sendCredit: (bytes: number) => boolean) {
    this.#sendCredit = sendCredit
  }

  /** Returns false, and counts nothing, if these bytes would be too many. */
  keep(bytes: number): boolean {
    if (this.#kept + bytes > mostBytes) return false
    this.#kept += bytes
    return true
  }

  /** These bytes are not kept any longer. `isCredited`: the client may send as many again. Otherwise node:http2 tells it so. */
  free(bytes: number, isCredited: boolean): void {
    this.#kept -= bytes
    if (isCredited) this.#credit += bytes
    this.giveCredit()
  }

  /** The client may send so many bytes more, which were not kept. It is told so when they are many. */
  credit(bytes: number): void {
    this.#credit += bytes
    if (this.#credit >= leastCredit) this.giveCredit()
  }

  /** To be called when frames of the lane may be sent again. */
  giveCredit(): void {
    if (this.#credit > 0 && this.#sendCredit(this.#credit)) this.#credit = 0
  }
}
