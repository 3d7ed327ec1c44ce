// A request to an app as the lane sees it, with the rules of the ordinary way for its answer.
import type { AppAddress } from '../../core/base/apps.ts'
import type { Coding } from '../../core/deployments/archive/variants.ts'
import { headerLines, rawHeaders } from '../../lib/raw-headers.ts'
import {
  compressedHeaders,
  holdsCompressed,
  isCompressible,
  isLongEnough,
  withVary,
} from '../compression/compressible-answers.ts'
import { Encoder } from '../compression/encoder.ts'
import type { AppTarget, Compression, RestOfChunks, SendingBody, UrlField } from '../lanes/lanes.ts'
import type { Route } from '../route.ts'
import { AnswerOnly, BegunRequest } from './begun-request.ts'
import type { Forwarded } from './forwarded.ts'
import type { LentConnection } from './lent-connection.ts'
import { rewriteOwnUrl } from './own-urls.ts'
import { readRestOfChunks } from './rest-of-chunks.ts'
import { AppTimedOut, StaleConnection } from './upstream.ts'

interface LaneTargetParts {
  route: Route
  address: AppAddress
  connection: LentConnection
  forwarded: Forwarded
  requestId: string
  head: string
  /** What matters for compression: the coding that the client prefers, and its header fields. */
  client: { coding: Coding | undefined; fields: string; ifNoneMatch: string | undefined }
  invalidate: (() => void) | undefined
}

interface AnswerToCompress {
  status: number
  isCompressible: boolean
  fields: string
}

const forbidsTransforming = /^cache-control:.*\bno-transform\b/im
const ofEvents = /^content-type:[ \t]*text\/event-stream\b/im

export class LaneTarget implements AppTarget {
  readonly route: Route
  readonly connection: LentConnection
  readonly requestId: string
  readonly head: string
  readonly invalidate: (() => void) | undefined
  /** When the request arrived, as `performance.now()` tells it. */
  readonly startedAt = performance.now()
  readonly #parts: LaneTargetParts

  constructor(parts: LaneTargetParts) {
    this.route = parts.route
    this.connection = parts.connection
    this.requestId = parts.requestId
    this.head = parts.head
    this.invalidate = parts.invalidate
    this.#parts = parts
  }

  get deploymentId(): string {
    return this.route.deployment.id
  }

  isOwnUrl(name: UrlField, value: string): boolean {
    const { address, forwarded } = this.#parts
    return rewriteOwnUrl(name, value, address, forwarded) !== value
  }

  compressibleFields(status: number, length: number | undefined, fields: string): string | undefined {
    if (!isLongEnough(length)) return undefined
    const headers = rawHeaders(fields)
    return isCompressible(status, headers) ? headerLines(withVary(headers)) : undefined
  }

  compressionOf({ status, isCompressible, fields }: AnswerToCompress): Compression | 'ordinary' | undefined {
    const { coding, ifNoneMatch, fields: requestFields } = this.#parts.client
    const isWanted = isCompressible && coding !== undefined
    const mayBeHeld = ifNoneMatch !== undefined && (status === 304 || (status === 200 && isWanted))
    if (mayBeHeld && holdsCompressed(ifNoneMatch, rawHeaders(fields))) return 'ordinary'
    if (!isWanted || forbidsTransforming.test(requestFields)) return undefined
    return {
      coding,
      fields: () => headerLines(compressedHeaders(rawHeaders(fields), coding)),
      open: sink => Encoder.open(coding, ofEvents.test(fields), sink),
    }
  }

  handOver(answer: Buffer | 'closed' | 'timed out', sending?: SendingBody): BegunRequest {
    const { requestId, deploymentId } = this
    const { address } = this.#parts
    const hasLostBody = sending !== undefined
    return new BegunRequest({
      ...{ requestId, deploymentId, address, hasLostBody },
      answer: this.#answerFrom(answer, hasLostBody && sending.leftBytes > 0),
    })
  }

  #answerFrom(answer: Buffer | 'closed' | 'timed out', lacksBody: boolean): AnswerOnly | Error {
    if (answer === 'closed') return new StaleConnection('The app closed the connection.')
    if (answer === 'timed out') return new AppTimedOut('The app did not answer in time.')
    return new AnswerOnly(this.connection.release(), answer, { lacksBody })
  }

  passRestOfChunks(bytes: Buffer, rest: RestOfChunks): void {
    const { connection } = this
    const idleMs = connection.timeouts.idle
    readRestOfChunks(new AnswerOnly(connection.release(), bytes), { ...rest, idleMs })
  }
}
