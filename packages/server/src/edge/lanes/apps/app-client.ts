// What receives the answer of an app: a connection by HTTP/1.1, or a stream by HTTP/2.
import type { AppTarget } from '../sources.ts'
import type { AnswerHead } from './answer-head.ts'

export interface AppClient {
  /** Whether it receives the content of a chunked body, without the framing of the chunks. */
  readonly takesContent: boolean
  /** Whether too much waits to be sent. Then the app is not read. */
  readonly isFull: boolean
  /** Calls `action` once, when there is room for more. */
  whenDrained(action: () => void): void
  /**
   * Begins the answer. `framed` is the part of the body that came with its head, as the app framed it. It is overwritten after the
   * call. `isChunked` is false if the answer has no body.
   */
  begin(head: AnswerHead, target: AppTarget, framed: Buffer, isChunked: boolean): void
  /** Passes on a further part of the body, as the app framed it. It is overwritten after the call. */
  writeFramed(framed: Buffer): void
  /** Passes on content of a chunked body. It is overwritten after the call. */
  writeContent(content: Buffer): void
  /** The body is over. `trailers` alternates names and values. They are given if the last parts came by `writeContent`. */
  end(trailers?: readonly string[]): void
  /** Breaks the answer off, so that the client sees that it is incomplete. */
  abort(): void
}

/** A client that the bytes go to as they are. */
export interface DirectClient extends AppClient {
  /** Sends a whole answer, in chunks by HTTP/1.1. `trailers` alternates names and values. */
  sendWhole(head: AnswerHead, target: AppTarget, content: Buffer, trailers: readonly string[]): void
}
