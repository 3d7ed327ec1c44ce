// What the reader of the client's frames asks of the lane.
import type { AppRequest } from '../apps/app-request.ts'
import type { Field } from './hpack/field.ts'
import type { RequestBody } from './request-body.ts'

/** Takes what comes from the client besides requests. */
export interface Receiver {
  /** Whether no more frames may be read for now, because too much waits to be sent. */
  readonly isFull: boolean
  /** Passes bytes on to node:http2. */
  forward(bytes: Buffer): void
  /** Called when the client resets a stream that the lane has answered. */
  resetByClient(): void
  /** Called when the client has enlarged the window of the connection. */
  windowGrown(): void
  /** Ends the connection with an error (RFC 9113, 7). */
  refuse(code: number): void
}

export interface RequestReceiver {
  /** Answers a request that has come completely. Returns false if node:http2 has to answer it. */
  answer(id: number, fields: readonly Field[], body?: RequestBody): boolean
  /** Whether the lane may answer a request when its body has come. */
  mayAwaitBody(fields: readonly Field[]): boolean
  /** Sends an app a request whose body follows. Returns `undefined` if node:http2 has to answer it. */
  passWithBody(id: number, fields: readonly Field[]): AppRequest | undefined
}
