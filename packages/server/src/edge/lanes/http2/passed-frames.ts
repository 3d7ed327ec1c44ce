// Passes the client's frames on to node:http2, and others between them: those of requests that the lane has begun.
import { dataFrames, windowUpdate } from './frames.ts'
import { HeaderBlock } from './header-block.ts'
import { encodeLiterally } from './hpack/encoder.ts'
import type { Field } from './hpack/field.ts'

export class PassedFrames {
  readonly #forward: (bytes: Buffer) => void
  /** How many bytes of a DATA frame are still to be forwarded. */
  #left = 0
  /** Frames that wait for the end of this DATA frame. */
  #inserted: Buffer[] = []

  constructor(forward: (bytes: Buffer) => void) {
    this.#forward = forward
  }

  /** Whether only a part of a frame was forwarded. The client's next bytes are the rest of it. */
  get isWithin(): boolean {
    return this.#left > 0
  }

  /** Forwards the frame of `length` bytes that begins at `at`, as far as it has come, and returns how many bytes were read. */
  begin(bytes: Buffer, at: number, length: number): number {
    this.#left = length
    return this.continue(bytes, at)
  }

  /** Forwards what has come of the rest, and returns how many bytes were read. */
  continue(bytes: Buffer, at: number): number {
    const part = bytes.subarray(at, at + this.#left)
    this.#left -= part.length
    this.#forward(part)
    if (this.#left === 0) for (const frames of this.#inserted.splice(0)) this.#forward(frames)
    return part.length
  }

  /** Passes frames on that do not come from the client. */
  insert(frames: Buffer): void {
    if (this.#left === 0) this.#forward(frames)
    else this.#inserted.push(frames)
  }
}

/** What node:http2 gets of a request's body. */
export interface HandedBody {
  readonly bytes: Buffer
  /** Whether nothing more of it comes. */
  readonly isLast: boolean
}

/**
 * Returns the frames of a request with what has come of its body. `granted`: by how much the client has enlarged the window of its
 * stream.
 */
export function requestFrames(
  id: number,
  fields: readonly Field[],
  granted: number,
  body: HandedBody | undefined,
): Buffer {
  const frames = [HeaderBlock.ofRequest(id, body !== undefined).framesWith(encodeLiterally(fields))]
  if (granted > 0) frames.push(windowUpdate(id, granted))
  if (body !== undefined && (body.isLast || body.bytes.length > 0))
    frames.push(dataFrames(id, body.bytes, body.isLast))
  return frames.length === 1 ? frames[0]! : Buffer.concat(frames)
}
