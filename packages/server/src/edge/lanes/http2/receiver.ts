// What the reader of the client's frames asks of the lane.
import type { Field } from './hpack/field.ts'

export interface Receiver {
  /** Whether no more frames may be read for now, because too much waits to be sent. */
  readonly isFull: boolean
  /** Passes bytes on to node:http2. */
  forward(bytes: Buffer): void
  /** Answers a request that has come completely. Returns false if node:http2 has to answer it. */
  answer(id: number, fields: Field[]): boolean
  /** Called when the client resets a stream that the lane has answered. */
  resetByClient(): void
  /** Called when the client has enlarged the window of the connection. */
  windowGrown(): void
  /** Ends the connection with an error (RFC 9113, 7). */
  refuse(code: number): void
}
