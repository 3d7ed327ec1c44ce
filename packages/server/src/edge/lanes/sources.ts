// All that the lanes know of the rest of the edge: where files come from (`HotSource`, `FileSource`), and where requests to apps
// go (`AppLaneSource`).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Peer } from '../../lib/received.ts'
import type { Head } from './http1/head.ts'

/** A GET or HEAD request without body and range. If it has conditions, the lane evaluates them. */
export interface HotRequest {
  readonly method: string
  /** Path and query as the client sent them. */
  readonly target: string
  readonly host: string
  readonly acceptEncoding: string | undefined
  /** All header fields, one per line. */
  readonly fields: string
  /** What the access log needs of `fields`, if it was read already. */
  readonly loggedFields?: string | undefined
}

/** A file, with the headers of its answers. */
export interface AnsweredFile {
  /** The headers of a 200 with the whole file, names and values in turn. */
  readonly headers: readonly string[]
  /** The headers of a 304. */
  readonly unchangedHeaders: readonly string[]
  /** The validators of the file: its ETag, and when it was last modified, in milliseconds. */
  readonly representation: { readonly etag: string; readonly modified: number; readonly size: number }
}

/** A file in memory. */
export interface SentFile extends AnsweredFile {
  readonly body: Buffer
}

/** A file that is too large for the memory, and is read while it is sent. */
export interface StoredFile extends AnsweredFile {
  /** Begins to read the file. `undefined` if it is no longer stored. */
  open(): Promise<Readable | undefined>
}

/** What a lane answered. */
export interface HotAnswer {
  readonly status: 200 | 304
  /** The bytes of the body that were sent. */
  readonly bytes: number
}

/** Where a lane finds files in memory. */
export interface HotSource {
  /** Returns the file that answers the request, if a lane may send it. `secure` is true if the connection uses TLS. */
  find(request: HotRequest, secure: boolean): SentFile | undefined
  /** Writes an answer to the access log. */
  count(file: AnsweredFile, request: HotRequest, answer: HotAnswer, peer: Peer): void
}

/** Where the HTTP/2 lane finds files. */
export interface FileSource extends HotSource {
  /** The same as `find` for a file that was sent before, and is too large for the memory. */
  findStored(request: HotRequest, secure: boolean): StoredFile | undefined
}

/** Where the lane to apps finds apps. */
export interface AppLaneSource {
  /** Returns where a passable request goes, if the lane may pass it to an app. */
  find(head: Head, peer: Peer): AppTarget | undefined
  /** Writes an answer to the access log. */
  count(target: AppTarget, head: Head, answer: AppAnswer, peer: Peer): void
}

/** Where the lane sends a request, what it sends, and the edge's rules for the answer. */
export interface AppTarget extends AnswerRules {
  readonly connection: AppConnection
  readonly deploymentId: string
  readonly requestId: string
  /** The head of the request, as the app receives it. */
  readonly head: string
  /** Drops the cache entries of the path. `undefined` if the method changes nothing. */
  readonly invalidate: (() => void) | undefined
  /**
   * How the client receives the answer compressed. `undefined` if it receives it as it is. `ordinary` if the ordinary way has to answer,
   * because the client has the answer compressed.
   */
  compressionOf(head: {
    status: number
    isCompressible: boolean
    fields: string
  }): Compression | 'ordinary' | undefined
  /**
   * Lets the ordinary way finish the request. `answer` is what the app has sent so far, or why it will not answer on this
   * connection. `sending` is given if the app got a part of the body as it came. The ordinary way then sends the rest.
   */
  handOver(answer: Buffer | 'closed' | 'timed out', sending?: SendingBody): BegunByLane
  /** Reads the rest of a chunked body. `bytes` are those that were read, and begin with the size of a chunk. */
  passRestOfChunks(bytes: Buffer, rest: RestOfChunks): void
}

/** A body that the app gets as it comes. */
export interface SendingBody {
  /** How many bytes the app has not got yet. */
  readonly leftBytes: number
}

/** The edge's side of an answer that it compresses for a client. */
export interface Compression {
  readonly coding: string
  /** Returns the header fields of the compressed answer, one per line. */
  fields(): string
  /** Begins to compress a body. `undefined` if too many answers are being compressed already. */
  open(sink: EncodedSink): BodyEncoder | undefined
}

export interface BodyEncoder {
  /** Returns false if the caller has to wait (`whenDrained`). */
  write(content: Buffer): boolean
  /** Calls `action` once, when there is room for more. */
  whenDrained(action: () => void): void
  end(): void
  /** Ends the work without a complete body. */
  destroy(): void
}

/** Where the compressed bytes go. Its methods are called in a later turn of the event loop than those of the encoder. */
export interface EncodedSink {
  /** Returns false if the buffer is full. */
  write(encoded: Buffer): boolean
  /** Calls `action` once, when the buffer is empty again. */
  whenDrained(action: () => void): void
  end(last: Buffer): void
  /** Breaks the answer off. */
  fail(): void
}

/** What the lane has to know to read the head of an answer. */
export interface AnswerRules {
  /** Whether a URL names the app's own address, which the ordinary way rewrites. */
  isOwnUrl(name: UrlField, value: string): boolean
  /** Returns the fields of an answer that the edge compresses for clients that accept it. `undefined` for all other answers. */
  compressibleFields(status: number, length: number | undefined, fields: string): string | undefined
}

/** Fields that hold a URL. */
export type UrlField = 'location' | 'content-location' | 'refresh'

/** An idle connection to the app that is the lane's for one request. */
interface AppConnection {
  readonly socket: Socket
  readonly timeouts: { readonly answer: number; readonly idle: number }
  /** From now on, `user` gets the events of the connection. */
  use(user: ConnectionUser): void
  /** Must be called when the request is over. */
  leave(): void
  /** Puts the connection back into the pool. Otherwise the lane closes it. `reuseMs` is from the Keep-Alive field. */
  keep(reuseMs: number | undefined): void
}

/** The request that uses a connection. */
export interface ConnectionUser {
  /** The bytes are overwritten after the call. */
  onData(chunk: Buffer): void
  /** The app has ended or closed the connection. */
  onEnd(): void
  onTimeout(): void
}

/** A request that the lane has sent to an app, and that the ordinary way finishes. */
export interface BegunByLane {
  /** `req` is the same request, as node:http read it. */
  finish(req: IncomingMessage, res: ServerResponse): void
  /** Gives the request up. */
  abandon(): void
}

export interface RestOfChunks {
  client: { readonly isFull: boolean; whenDrained(action: () => void): void }
  /** Called with the content of the body, part by part. */
  onData(content: Buffer): void
  /** Called once, when the body is over, with its trailers, names and values in turn. `undefined` if it is incomplete or malformed. */
  onEnd(trailers: string[] | undefined): void
}

/** What the client received. */
export interface AppAnswer {
  /** 0 if the client went away before the answer began. */
  status: number
  /** The bytes of the body. */
  bytes: number
  /** Whether the Content-Type is HTML. `undefined` if the answer has none. */
  isHtml: boolean | undefined
}
