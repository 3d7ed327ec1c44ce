// Sends the client what the lane and node:http2 have for it, in pieces of at most 64 KB, one at a time. A piece is put together in one
// memory for all connections, and encrypted at once. So a connection needs no memory of its own for what it sends.
import type { Writable } from 'node:stream'
import { encryptDirectly } from '../direct-writes.ts'
import type { AnswerStreams } from './answer-streams.ts'
import { Queue } from './queue.ts'
import { type Sender, takeTurns } from './turns.ts'

const KB = 1024
/** Smaller pieces take more system calls. Larger pieces hold up other connections. */
const pieceBytes = 64 * KB
/** How much of a piece may be frames of node:http2, if the lane has something to send as well. */
const nodeShare = pieceBytes / 2
/** How much of the lane's answers is still sent when the connection closes. */
const lastBytes = 1024 * KB

const piece = Buffer.allocUnsafeSlow(pieceBytes)

interface Frames {
  readonly bytes: Buffer
  /** Whether other frames may come after these bytes: they do not end within a frame or a header block. */
  readonly isComplete: boolean
  readonly onTaken: (() => void) | undefined
}

type LaneAnswers = Pick<AnswerStreams, 'maySend' | 'fill'>

export class Output implements Sender {
  readonly #socket: Writable
  readonly #answers: LaneAnswers
  readonly #onSent: () => void
  /** Frames of node:http2, and the lane's own besides answers. */
  readonly #frames = new Queue<Frames>()
  /** How much of the first of `#frames` was put into pieces. */
  #taken = 0
  /** Whether the lane's answers may come next. Nothing may come before the first frame of node:http2, which is SETTINGS. */
  #isBetween = false
  /** How many bytes of `#frames`, and of the write that is under way, are not sent yet. */
  #unsentBytes = 0
  #isWriting = false

  /** `onSent` is called after each write to the socket. */
  constructor(socket: Writable, answers: LaneAnswers, onSent: () => void) {
    this.#socket = socket
    this.#answers = answers
    this.#onSent = onSent
  }

  /** How many bytes wait to be sent, besides answers of the lane. */
  get unsentBytes(): number {
    return this.#unsentBytes
  }

  /** Whether the socket has not taken the last piece yet. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /** `onTaken` is called when the bytes are in a piece. Everything that is sent later comes after them. */
  put(bytes: Buffer, isComplete = true, onTaken?: () => void): void {
    this.#frames.push({ bytes, isComplete, onTaken })
    this.#unsentBytes += bytes.length
  }

  /** Sends the next pieces, when it is the turn of this connection. */
  flush(): void {
    if (!this.#isWriting && this.#hasMore) takeTurns(this)
  }

  sendPiece(): number {
    if (this.#isWriting || !this.#socket.writable) return 0
    const used = this.#fill()
    if (used === 0) return 0
    this.#isWriting = true
    this.#write(used, () => {
      this.#isWriting = false
      this.flush()
      this.#onSent()
    })
    return used
  }

  /** Passes everything to the socket, which is about to be closed. */
  flushAll(): void {
    for (let used = 1, sum = 0; used > 0 && this.#socket.writable; sum += used) {
      used = sum < lastBytes ? this.#fill() : this.#takeFrames(0, pieceBytes)
      if (used > 0) this.#write(used, () => undefined)
    }
  }

  get #hasMore(): boolean {
    return this.#frames.length > 0 || (this.#isBetween && this.#answers.maySend)
  }

  /** Puts the next piece together, and returns its bytes. */
  #fill(): number {
    let used = this.#takeFrames(0, this.#answers.maySend ? nodeShare : pieceBytes)
    if (this.#isBetween) {
      const before = used
      used = this.#answers.fill(piece, used)
      this.#unsentBytes += used - before
    }
    return used < nodeShare ? this.#takeFrames(used, pieceBytes) : used
  }

  /** Puts frames of `#frames` into the piece until `enough` bytes are used and other frames may follow. */
  #takeFrames(from: number, enough: number): number {
    let used = from
    while (this.#frames.length > 0 && used < pieceBytes && !(this.#isBetween && used >= enough)) {
      const { bytes, isComplete, onTaken } = this.#frames.first!
      const count = bytes.copy(piece, used, this.#taken)
      used += count
      this.#taken += count
      const isWhole = this.#taken === bytes.length
      this.#isBetween = isWhole && isComplete
      if (!isWhole) continue
      this.#frames.shift()
      this.#taken = 0
      onTaken?.()
    }
    return used
  }

  #write(used: number, done: () => void): void {
    const onSent = () => {
      this.#unsentBytes -= used
      done()
    }
    const bytes = piece.subarray(0, used)
    if (encryptDirectly(this.#socket, bytes, onSent)) return
    this.#socket.write(Buffer.from(bytes), error => error || onSent())
  }
}
