// Recognizes an answer with the same head as the answer before it on the client's connection. An app sends the same fields with
// most of its answers, and its Date changes once a second, so most heads need not be read field by field.
import { type AnswerHead, type AnswerHeadReading, type IsOwnUrl, readAnswerHead } from './answer-head.ts'

/** A longer head is not kept, since every open connection may keep one. */
const longestKept = 1024

export class RepeatedAnswerHead {
  /** The bytes of the head, with the empty line at its end. So bytes that begin with these have no other head. */
  #bytes = Buffer.alloc(0)
  #head: AnswerHead | undefined

  /** The same as `readAnswerHead`. */
  read(bytes: Buffer, isOwnUrl: IsOwnUrl): AnswerHeadReading {
    const kept = this.#bytes
    const isRepeated =
      bytes.length >= kept.length && bytes.compare(kept, 0, kept.length, 0, kept.length) === 0
    if (this.#head !== undefined && isRepeated) return this.#head
    const head = readAnswerHead(bytes, isOwnUrl)
    // Whether a URL is the app's own depends on the request.
    if (typeof head === 'object' && !head.hasUrl && head.headBytes <= longestKept) this.#keep(head, bytes)
    return head
  }

  #keep(head: AnswerHead, bytes: Buffer): void {
    this.#head = head
    this.#bytes = Buffer.from(bytes.subarray(0, head.headBytes))
  }
}
