// Packs: immutable objects, one per deployment, written once as a stream and read by ranges.
import type { Readable } from 'node:stream'

export interface Packs {
  /** Begins an object that nobody can see until `commit`. An id is never written twice. */
  create(id: string): Promise<PackSink>
  /** The object, or undefined where there is none. */
  open(id: string): Promise<PackSource | undefined>
  /** Removes the object; one that is gone already is no error. Open sources go on reading. */
  delete(id: string): Promise<void>
  /** Every committed id. */
  list(): AsyncIterable<string>
  /** Removes what writers of this machine that died left behind. Only at start, before any `create`. */
  discardUnfinished(): Promise<void>
  /** Throws, with words for the operator, when the storage cannot be used. */
  check(): Promise<void>
}

export interface PackSink {
  /** Takes over the bytes; resolves when more may be written. */
  write(bytes: Buffer): Promise<void>
  /** Durable and visible when it resolves. */
  commit(): Promise<void>
  /** Leaves no trace. Harmless after `commit` failed. */
  abort(): Promise<void>
}

export interface PackSource {
  readonly size: number
  read(offset: number, length: number): Promise<Buffer>
  stream(offset: number, length: number): Readable
  close(): Promise<void>
}
