// Recognizes an answer with the same head as the answer before it on the client's connection. An app sends the same fields with
// most of its answers, and its Date changes once a second, so most heads need not be read field by field.
import type { UrlField } from '../../proxy/own-urls.ts'
import { type AnswerHead, readAnswerHead } from './answer-head.ts'

/** A longer head is not kept, since every open connection may keep one. */
const longestKept = 1024

export class RepeatedAnswerHead {
  #text = ''
  #head: AnswerHead | undefined

  /** The same as `readAnswerHead`. */
  read(text: string, isOwnUrl: (name: UrlField, value: string) => boolean): AnswerHead | undefined {
    if (this.#head !== undefined && text === this.#text) return this.#head
    const head = readAnswerHead(text, isOwnUrl)
    // Whether a URL is the app's own depends on the request.
    if (head === undefined || head.hasUrl || text.length > longestKept) return head
    this.#text = text
    this.#head = head
    return head
  }
}
