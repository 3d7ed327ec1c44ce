// Finds the files that answer requests, and counts them.
import type { Peer } from '../../../lib/received.ts'
import type { AnsweredFile, FileSource } from '../sources.ts'
import { mostHeadBytes, type StreamAnswer } from './answer-streams.ts'
import { answerTo, headOf } from './answers.ts'
import type { LaneRequest } from './request.ts'

/**
 * Larger answers are counted when they are sent or reset, with the bytes that were sent. Until then they keep their request in memory,
 * and with many connections that costs the garbage collector much time.
 */
const countedAtOnce = 64 * 1024

const nothing: Buffer = Buffer.alloc(0)

export class FileAnswers {
  readonly #files: FileSource
  readonly #peer: Peer

  constructor(files: FileSource, peer: Peer) {
    this.#files = files
    this.#peer = peer
  }

  /** Returns the answer to a request, or `undefined` if no file answers it, or the lane cannot send it. */
  find(request: LaneRequest): StreamAnswer | undefined {
    const { secure } = this.#peer
    const hot = this.#files.find(request, secure)
    const stored = hot === undefined ? this.#files.findStored(request, secure) : undefined
    const file = hot ?? stored
    if (file === undefined) return undefined
    const { status, bytes } = answerTo(request, file)
    const head = headOf(file, status)
    if (head.length > mostHeadBytes) return undefined
    const isLarge = bytes > countedAtOnce
    if (!isLarge) this.#files.count(file, request, { status, bytes }, this.#peer)
    return {
      head,
      body: hot?.body ?? nothing,
      stored: bytes > 0 ? stored : undefined,
      bytes,
      onOver: isLarge ? this.#counter(file, request) : undefined,
    }
  }

  #counter(file: AnsweredFile, request: LaneRequest): (sent: number) => void {
    return sent => this.#files.count(file, request, { status: 200, bytes: sent }, this.#peer)
  }
}
