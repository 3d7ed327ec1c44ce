// Which of the client's streams are the lane's, and which are node:http2's.
import type { AnswerStreams } from './answer-streams.ts'
import { NodeIds } from './node-ids.ts'

export const isOfClient = (id: number): boolean => (id & 1) === 1

export class StreamIds {
  /** The ids that node:http2 has for these streams. */
  readonly ofNode = new NodeIds()
  readonly #streams: AnswerStreams
  /** The id of the client's latest stream. */
  #last = 0
  /** The id of the latest stream that node:http2 got from the client. */
  #lastForwarded = 0

  constructor(streams: AnswerStreams) {
    this.#streams = streams
  }

  get last(): number {
    return this.#last
  }

  /** Returns false if the client has opened this stream, or a later one, before. */
  open(id: number): boolean {
    if (id <= this.#last) return false
    this.#last = id
    return true
  }

  /** Notes that node:http2 got the stream. */
  forward(id: number): void {
    this.#lastForwarded = Math.max(this.#lastForwarded, id)
  }

  /** Notes that node:http2 gets a stream that the lane has begun to answer. */
  handOver(id: number): void {
    if (id > this.#lastForwarded && this.ofNode.isLatest(id)) this.#lastForwarded = id
    else this.ofNode.addLate(id, this.#last)
  }

  /** Whether node:http2 knows the stream, or takes it for closed. */
  isForwarded(id: number): boolean {
    return this.ofNode.isLate(id) || (isOfClient(id) && id <= this.#lastForwarded)
  }

  /**
   * Whether the lane is answering the stream, or it comes after the latest stream that node:http2 got, and the lane answered it or
   * the client skipped it. node:http2 does not know such streams, and takes all unknown streams below its latest for closed.
   */
  isOfLane(id: number): boolean {
    if (this.#streams.has(id)) return true
    return isOfClient(id) && id > this.#lastForwarded && id <= this.#last && !this.ofNode.isLate(id)
  }
}
