// Follows a chunked body of an app. It accepts only the plainest form: sizes in hexadecimal, no extensions, no trailers.

const carriageReturn = 0x0d
const lineFeed = 0x0a
/** The most hexadecimal digits of a chunk size. More digits mean a chunk of 4 GB or more, or leading zeros. */
const longestSize = 8

/** Gets the content of a body, without its framing. The memory is overwritten after the call. */
export type OnContent = ((part: Buffer) => void) | undefined

export class ChunkedBody {
  /** The bytes of the body so far, without the framing. */
  bodyBytes = 0
  /**
   * - `open`: more is to come
   * - `complete`: the body is over
   * - `unusual`: the next bytes are a size that is not plain, an extension or a trailer; node:http has to read them
   * - `broken`: a chunk does not end with a line end
   */
  state: 'open' | 'complete' | 'unusual' | 'broken' = 'open'
  /** How many bytes of the current chunk have not come yet. */
  #left = 0
  /** Whether the line end after the current chunk has not come yet. */
  #isInChunk = false
  readonly #onContent: OnContent

  constructor(onContent?: OnContent) {
    this.#onContent = onContent
  }

  /**
   * Reads bytes from `start` on, and returns the index of the first byte that was not read. Pass on only the bytes before it.
   * While the state is `open`, keep the rest, and read it again when more bytes have come.
   */
  read(bytes: Buffer, start: number): number {
    let at = start
    while (at < bytes.length && this.state === 'open') {
      const next = this.#isInChunk ? this.#readChunk(bytes, at) : this.#readSize(bytes, at)
      if (next === at) return at
      at = next
    }
    return at
  }

  #readChunk(bytes: Buffer, at: number): number {
    if (this.#left > 0) {
      const count = Math.min(this.#left, bytes.length - at)
      this.#left -= count
      this.bodyBytes += count
      this.#onContent?.(bytes.subarray(at, at + count))
      return at + count
    }
    if (at + 1 === bytes.length) return at
    if (!isLineEnd(bytes, at)) {
      this.state = 'broken'
      return at
    }
    this.#isInChunk = false
    return at + 2
  }

  #readSize(bytes: Buffer, at: number): number {
    let end = at
    let size = 0
    for (let digit = hexDigit(bytes[end]); digit >= 0; digit = hexDigit(bytes[++end]))
      size = size * 16 + digit
    const digits = end - at
    if (digits > longestSize) this.state = 'unusual'
    else if (end + 2 > bytes.length) return at
    else if (digits === 0 || !isLineEnd(bytes, end)) this.state = 'unusual'
    else if (size === 0) return this.#readEnd(bytes, at, end + 2)
    if (this.state === 'unusual') return at
    this.#left = size
    this.#isInChunk = true
    return end + 2
  }

  /** Reads the line end after the last chunk. A trailer is unusual. */
  #readEnd(bytes: Buffer, lastChunk: number, at: number): number {
    if (at + 2 > bytes.length) return lastChunk
    this.state = isLineEnd(bytes, at) ? 'complete' : 'unusual'
    return this.state === 'complete' ? at + 2 : lastChunk
  }
}

const isLineEnd = (bytes: Buffer, at: number): boolean =>
  bytes[at] === carriageReturn && bytes[at + 1] === lineFeed

/** Returns the value of a hexadecimal digit, or -1. */
function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
