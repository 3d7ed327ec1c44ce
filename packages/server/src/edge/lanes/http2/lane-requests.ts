// The requests of a connection that the lane answers: with files, or by passing them to apps. node:http2 finishes those that their
// apps do not answer plainly.
import { constants } from 'node:http2'
import type { Peer } from '../../../lib/received.ts'
import type { AppRequest } from '../apps/app-request.ts'
import type { AppLaneSource, BegunByLane, FileSource } from '../sources.ts'
import { type AnswerStreams, mostStreams } from './answer-streams.ts'
import { AppAnswers } from './app-answers.ts'
import type { AppStream } from './app-stream.ts'
import { FileAnswers } from './file-answers.ts'
import { rstStream } from './frames.ts'
import type { Field } from './hpack/field.ts'
import { withBodyBytes } from './passed-bodies.ts'
import type { HandedBody } from './passed-frames.ts'
import type { ReceiveWindow } from './receive-window.ts'
import type { RequestReceiver } from './receiver.ts'
import { type LaneRequest, readRequest } from './request.ts'
import { declaredLength, type RequestBody } from './request-body.ts'

/** Where the lane finds what it answers with. */
export interface Http2LaneSources {
  files: FileSource
  apps?: AppLaneSource
}

interface RequestsParts {
  sources: Http2LaneSources
  peer: Peer
  /** Requests with a head of more bytes are left to node:http2. */
  headBytes: number
  streams: AnswerStreams
  received: ReceiveWindow
  /** Whether node:http2 has told the client that it takes no further requests. */
  isClosing(): boolean
  /** Whether node:http2 can still get a request that the lane has begun. */
  mayHandOver(): boolean
  /** Hands node:http2 such a request, and returns the id that node:http2 has for it. */
  handOver(id: number, fields: readonly Field[], granted: number, body: HandedBody | undefined): number
  /** Sends a frame. Returns false if that may not be done now. */
  putFrame(frame: Buffer): boolean
  /** Called when the lane has refused a stream. A client that goes on in spite of that is disconnected. */
  onRefused(): void
}

const nothing: Buffer = Buffer.alloc(0)

export class LaneRequests implements RequestReceiver {
  readonly #parts: RequestsParts
  readonly #files: FileAnswers
  readonly #apps: AppAnswers | undefined
  /** Requests that the lane has sent to apps, and that node:http2 is to answer, by its ids for them. */
  readonly #begun = new Map<number, BegunByLane>()

  constructor(parts: RequestsParts) {
    const { files, apps } = parts.sources
    this.#parts = parts
    this.#files = new FileAnswers(files, parts.peer)
    this.#apps = apps && new AppAnswers(apps, parts.peer)
  }

  answer(id: number, fields: readonly Field[], body?: RequestBody): boolean {
    const { streams, headBytes, isClosing, mayHandOver } = this.#parts
    if (isClosing()) return false
    if (streams.size >= mostStreams) return this.#refuse(id)
    const request = readRequest(fields, headBytes, body !== undefined)
    if (request === undefined) return false
    const answer = request.isReading ? this.#files.find(request) : undefined
    if (answer !== undefined) {
      streams.add(id, answer)
      return true
    }
    return mayHandOver() && this.#passToApp(id, request, fields, { kept: body }) !== undefined
  }

  passWithBody(id: number, fields: readonly Field[]): AppRequest | undefined {
    const { streams, headBytes, isClosing } = this.#parts
    const leftBytes = declaredLength(fields)
    if (leftBytes === 0 || isClosing() || streams.size >= mostStreams) return undefined
    const request = readRequest(fields, headBytes, true)
    return request && this.#passToApp(id, request, fields, { leftBytes })?.request
  }

  mayAwaitBody(fields: readonly Field[]): boolean {
    const { headBytes, isClosing } = this.#parts
    if (this.#apps === undefined || isClosing()) return false
    return readRequest(fields, headBytes, true) !== undefined
  }

  /** Returns the request that the lane has begun, if node:http2's stream finishes one. */
  takeBegun(nodeId: number): BegunByLane | undefined {
    const begun = this.#begun.get(nodeId)
    this.#begun.delete(nodeId)
    return begun
  }

  /** Gives up the requests that node:http2 has not taken. */
  abandonAll(): void {
    for (const begun of this.#begun.values()) begun.abandon()
  }

  #passToApp(
    id: number,
    request: LaneRequest,
    fields: readonly Field[],
    { kept, leftBytes = 0 }: { kept?: RequestBody | undefined; leftBytes?: number },
  ): AppStream | undefined {
    const { streams, received, isClosing, mayHandOver, handOver } = this.#parts
    const bytes = kept?.bytes ?? nothing
    const stream = this.#apps?.pass(request, { bytes, leftBytes }, (begun, sending) => {
      if (isClosing() || !mayHandOver()) {
        begun.abandon()
        stream!.abort()
        return
      }
      if (kept !== undefined) received.free(kept.receivedBytes, false)
      const granted = streams.release(id)
      const handed = sending === undefined ? fields : withBodyBytes(fields, sending.leftBytes)
      const isWhole = sending === undefined || sending.leftBytes === 0
      const hasBody = kept !== undefined || sending !== undefined
      const body = hasBody ? { bytes, isLast: isWhole } : undefined
      this.#begun.set(handOver(id, handed, granted, body), begun)
    })
    if (stream === undefined) return undefined
    if (kept !== undefined) stream.onBegin = () => received.free(kept.receivedBytes, true)
    streams.addOfApp(id, stream, kept?.granted ?? 0)
    return stream
  }

  /** Refuses a request of a client that has too many open. Returns false if node:http2 has to do it. */
  #refuse(id: number): boolean {
    const isRefused = this.#parts.putFrame(rstStream(id, constants.NGHTTP2_REFUSED_STREAM))
    if (isRefused) this.#parts.onRefused()
    return isRefused
  }
}
