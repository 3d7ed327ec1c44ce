// Recognizes an answer with the same head as the answer before it on the client's connection. An app sends the same fields with
// most of its answers, and its Date changes once a second, so most heads need not be read field by field.
import type { AnswerRules } from '../sources.ts'
import { type AnswerHead, type AnswerHeadReading, readAnswerHead } from './answer-head.ts'

/** A longer head is not kept, since every open connection may keep one. */
const longestKept = 1024

export class RepeatedAnswerHead {
  /** The head, with the empty line at its end. So bytes that begin with it have no other head. */
  #text = ''
  #head: AnswerHead | undefined

  /** The same as `readAnswerHead`. */
  read(bytes: Buffer, rules: AnswerRules): AnswerHeadReading {
    const kept = this.#head
    if (kept !== undefined && bytes.toString('latin1', 0, kept.headBytes) === this.#text) return kept
    const head = readAnswerHead(bytes, rules)
    // Whether a URL is the app's own depends on the request.
    if (typeof head === 'object' && !head.hasUrl && head.headBytes <= longestKept) {
      this.#head = head
      this.#text = bytes.toString('latin1', 0, head.headBytes)
    }
    return head
  }
}
