// Collects the frames for the client, and writes them to the socket in blocks of many frames. The blocks are reused. A new buffer
// for each write would cost more than filling it: the system has to provide fresh memory for it, and the garbage collector has
// to find it.
import type { Writable } from 'node:stream'
import { encryptDirectly } from '../direct-writes.ts'

const KB = 1024
/** Enough for the answers to ten requests that come together. Smaller blocks take more CPU time per answer. */
const blockBytes = 256 * KB
/** Less is copied to a buffer of its own size, so that a slow reader of little does not hold a whole block. */
const leastInBlock = 16 * KB
/** How many unused blocks are kept, for all connections together. */
const sparesAtMost = 16

const spares: Buffer[] = []

function reuse(block: Buffer): void {
  if (block.length === blockBytes && spares.length < sparesAtMost) spares.push(block)
}

/** Where frames are written. */
export interface FrameTarget {
  readonly block: Buffer
  /** Makes room for `bytes` bytes in `block`, and returns where they begin. */
  reserve(bytes: number): number
}

interface FilledBlock {
  block: Buffer
  used: number
}

const noBytes = Buffer.alloc(0)

export class Output implements FrameTarget {
  readonly #socket: Writable
  readonly #onSent: () => void
  /** The block that is being filled. Empty if nothing was collected since the last write. */
  #block: Buffer = noBytes
  #used = 0
  /** Full blocks that wait for the write before them. */
  #full: FilledBlock[] = []
  #unsentBytes = 0
  #isWriting = false

  /** `onSent` is called after each write to the socket. */
  constructor(socket: Writable, onSent: () => void) {
    this.#socket = socket
    this.#onSent = onSent
  }

  get block(): Buffer {
    return this.#block
  }

  /** How many bytes were collected and are not sent yet. */
  get unsentBytes(): number {
    return this.#unsentBytes
  }

  reserve(bytes: number): number {
    if (this.#used + bytes > this.#block.length) this.#startBlock(bytes)
    const at = this.#used
    this.#used += bytes
    this.#unsentBytes += bytes
    return at
  }

  put(bytes: Buffer): void {
    const at = this.reserve(bytes.length)
    bytes.copy(this.#block, at)
  }

  /**
   * Writes the next block, unless a write is under way. While it is, answers are collected. Every write starts the next one, until
   * all is sent.
   */
  flush(): void {
    if (this.#isWriting || this.#unsentBytes === 0 || this.#socket.destroyed) return
    this.#isWriting = true
    this.#write(this.#next(), () => {
      this.#isWriting = false
      this.flush()
      this.#onSent()
    })
  }

  /** Passes everything to the socket, which is about to be closed. */
  flushAll(): void {
    while (!this.#socket.destroyed && this.#full.length + this.#used > 0) this.#write(this.#next())
  }

  #startBlock(bytes: number): void {
    if (this.#used > 0) this.#full.push({ block: this.#block, used: this.#used })
    this.#block = bytes > blockBytes ? Buffer.allocUnsafeSlow(bytes) : (spares.pop() ?? newBlock())
    this.#used = 0
  }

  #next(): FilledBlock {
    const full = this.#full.shift()
    if (full !== undefined) return full
    const next = { block: this.#block, used: this.#used }
    this.#block = noBytes
    this.#used = 0
    return next
  }

  #write({ block, used }: FilledBlock, done?: () => void): void {
    const onSent = () => {
      this.#unsentBytes -= used
      done?.()
    }
    const bytes = block.subarray(0, used)
    if (encryptDirectly(this.#socket, bytes, onSent)) reuse(block)
    else if (used < leastInBlock) {
      this.#writeToStream(Buffer.from(bytes), onSent)
      reuse(block)
    } else {
      this.#writeToStream(bytes, () => {
        reuse(block)
        onSent()
      })
    }
  }

  #writeToStream(bytes: Buffer, onSent: () => void): void {
    this.#socket.write(bytes, error => error || onSent())
  }
}

const newBlock = (): Buffer => Buffer.allocUnsafeSlow(blockBytes)

/** Frames that wait, each in a buffer of its own. */
export class WaitingFrames implements FrameTarget {
  #frames: Buffer[] = []
  #bytes = 0

  get block(): Buffer {
    return this.#frames.at(-1) ?? noBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  reserve(bytes: number): number {
    this.#frames.push(Buffer.allocUnsafe(bytes))
    this.#bytes += bytes
    return 0
  }

  takeAll(): Buffer[] {
    const frames = this.#frames
    this.#frames = []
    this.#bytes = 0
    return frames
  }
}
