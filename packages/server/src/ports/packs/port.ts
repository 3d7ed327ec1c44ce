// Packs: immutable objects, one per deployment, written once as a stream and read by ranges.
import type { Readable } from 'node:stream'

export interface Packs {
  /** Begins an object that nobody can see until `commit`. An id is never written twice: rejects if it exists. */
  create(id: string): Promise<PackSink>
  /** The object, or undefined where there is none. */
  open(id: string): Promise<PackSource | undefined>
  /** Removes the object; one that is gone already is no error. Streams under way come to their end. */
  delete(id: string): Promise<void>
  /** Every committed id. */
  list(): AsyncIterable<string>
  /** Marks the storage as this owner's, unless it is someone's already; says whose it is now. */
  claim(owner: string): Promise<string>
  /** Removes what writers of this machine that died left behind. Only at start, before any `create`. */
  discardUnfinished(): Promise<void>
  /** Throws, with words for the operator, when the storage cannot be used. */
  check(): Promise<void>
  /** Ends what goes on in the background. */
  close(): Promise<void>
}

export interface PackSink {
  /** Appends the bytes; when it resolves they have been taken and the caller may reuse the buffer. */
  write(bytes: Buffer): Promise<void>
  /** Durable and visible when it resolves. */
  commit(): Promise<void>
  /** Leaves no trace. Harmless after `commit`, whether that failed or not: what is committed stays. */
  abort(): Promise<void>
}

export interface PackSource {
  readonly size: number
  /** Exactly `length` bytes; rejects where the object is shorter. */
  read(offset: number, length: number): Promise<Buffer>
  stream(offset: number, length: number): Readable
  /** Nothing new may be asked for afterwards; reads and streams under way still come to their end. */
  close(): Promise<void>
}

/** The storage itself failed: nothing is wrong with what was asked for, and asking again later may work. */
export class StorageFailure extends Error {
  /** There is no room left, so waiting alone will not help. */
  readonly full: boolean

  constructor(message: string, options: { cause?: unknown; full?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StorageFailure'
    this.full = options.full ?? false
  }
}

const idPattern = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/

/** Ids become file names and object keys, so nothing that could mean another place gets through. */
export function checkPackId(id: string) {
  if (id.length > 100 || !idPattern.test(id)) throw new Error(`Not a pack id: ${JSON.stringify(id)}`)
}
