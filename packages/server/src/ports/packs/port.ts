// Packs: immutable objects, one for each deployment, written once as a stream and read by range.
import type { Readable } from 'node:stream'

export interface Packs {
  /** Starts writing an object. It is invisible until `commit`. Rejects if the id exists. */
  create(id: string): Promise<PackSink>
  /** The object, or `undefined` if there is none. */
  open(id: string): Promise<PackSource | undefined>
  /** Removes the object, if it exists. Streams in progress still finish. */
  delete(id: string): Promise<void>
  /** Drops the local copy of an object that proved damaged. Returns false if there is no other copy to read. */
  distrust(id: string): Promise<boolean>
  /** The ids of all committed objects, in their order. */
  list(): AsyncIterable<string>
  /** Claims the storage for this owner if it has none. Returns the owner. */
  claim(owner: string): Promise<string>
  /** Gives up the claim of this owner. Does nothing if the storage has another owner or none. */
  disclaim(owner: string): Promise<void>
  /** Removes unfinished objects of dead writers on this machine. Only called at start, before any `create`. */
  discardUnfinished(): Promise<void>
  /** Throws, with a message for the operator, if the storage cannot be used. */
  check(): Promise<void>
  /** Ends background work. */
  close(): Promise<void>
}

export interface PackSink {
  /** Appends the bytes. When it resolves, the caller may reuse the buffer. */
  write(bytes: Buffer): Promise<void>
  /** The object is durable and visible when this resolves. */
  commit(): Promise<void>
  /** Discards the object. Does nothing after a successful `commit`. */
  abort(): Promise<void>
}

export interface PackSource {
  readonly size: number
  /** Reads exactly `length` bytes. Rejects if the object is shorter. */
  read(offset: number, length: number): Promise<Buffer>
  stream(offset: number, length: number): Readable
  /** No new reads are allowed afterwards. Reads and streams in progress still finish. */
  close(): Promise<void>
}

/** The storage failed. The request was valid, and a retry may succeed. */
export class StorageFailure extends Error {
  /** The storage is full, so a retry will not help. */
  readonly full: boolean

  constructor(message: string, options: { cause?: unknown; full?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StorageFailure'
    this.full = options.full ?? false
  }
}

const idPattern = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/

/** Ids become file names and object keys, so an id that could lead to another directory is refused. */
export function checkPackId(id: string) {
  if (id.length > 100 || !idPattern.test(id)) throw new Error(`Not a pack id: ${JSON.stringify(id)}`)
}
