// A stream by HTTP/2 that receives the answer of an app. It holds what the client has no room for yet.
import { foldHeaders } from '../../../lib/fold-headers.ts'
import { requestIdField, strictTransport } from '../../../lib/platform-fields.ts'
import { rawHeaders } from '../../../lib/raw-headers.ts'
import type { AnswerHead } from '../apps/answer-head.ts'
import type { DirectClient } from '../apps/app-client.ts'
import type { AppRequest } from '../apps/app-request.ts'
import type { AppTarget } from '../sources.ts'
import type { BodySource } from './body-source.ts'
import { HeldBody } from './held-body.ts'
import type { HeldBytes } from './held-bytes.ts'
import { encodeFields, encodePlainField, encodeStatus } from './hpack/encoder.ts'

const mostTrailerBytes = 8 * 1024

const nothing: Buffer = Buffer.alloc(0)
const ignore = (): void => undefined
const idField = requestIdField.toLowerCase()

export class AppStream implements DirectClient, BodySource {
  readonly takesContent = true
  readonly isSoon = false
  readonly mayRepeat = false
  /** The content comes by `writeContent`, as soon as the app sends it. */
  readonly writeFramed = ignore
  readonly readMore = ignore
  /** Called when the answer begins, and when more of it has come. */
  onChange: () => void = () => undefined
  /** Called when the answer begins, or when it is clear that none comes. */
  onBegin: () => void = () => undefined
  request: AppRequest | undefined
  block: BodySource['block']
  trailers: Buffer | undefined
  isEnded = false
  #isAborted = false
  #isClosed = false
  readonly #held: HeldBytes
  readonly #body = new HeldBody()
  #onDrained: (() => void) | undefined

  constructor(held: HeldBytes) {
    this.#held = held
  }

  get available(): number {
    return this.#body.length
  }

  get isOpen(): boolean {
    return this.block !== undefined
  }

  get hasFailed(): boolean {
    return this.#isAborted && this.available === 0
  }

  get isFull(): boolean {
    return this.#held.isFull(this.available)
  }

  whenDrained(action: () => void): void {
    this.#onDrained = action
  }

  begin(head: AnswerHead, { deploymentId, requestId }: AppTarget): void {
    const fields = Buffer.concat([blockOf(head, deploymentId), encodePlainField(idField, requestId)])
    this.block = { bytes: fields, hasDate: head.hasDate }
    this.onBegin()
    this.onChange()
  }

  sendWhole(head: AnswerHead, target: AppTarget, content: Buffer, trailers: readonly string[]): void {
    this.begin(head, target)
    if (content.length > 0) this.writeContent(content)
    this.end(trailers)
  }

  writeContent(content: Buffer): void {
    if (this.#isClosed) return
    this.#body.push(content)
    this.#held.change(content.length)
    this.onChange()
  }

  end(trailers: readonly string[] = []): void {
    const block = trailers.length > 0 ? encodeFields(foldHeaders(trailers)) : nothing
    // Trailers may always be left out (RFC 9110, 6.5.1). Longer ones would not fit into one frame.
    if (block.length > 0 && block.length <= mostTrailerBytes) this.trailers = block
    this.isEnded = true
    this.onChange()
  }

  abort(): void {
    this.#isAborted = true
    this.onChange()
  }

  take(into: Buffer, at: number, length: number): void {
    this.#body.take(into, at, length)
    this.#held.change(-length)
    if (this.#onDrained === undefined || this.isFull) return
    const action = this.#onDrained
    this.#onDrained = undefined
    action()
  }

  close(): void {
    this.#isClosed = true
    this.#held.change(-this.available)
    this.#body.clear()
    this.request?.cancel()
    if (!this.isOpen) this.onBegin()
  }
}

/** The block of a head that repeats is made once. */
const blocks = new WeakMap<AnswerHead, { deploymentId: string; block: Buffer }>()

/** Returns the header block without the id of the request, and without the date if the app has sent none. */
function blockOf(head: AnswerHead, deploymentId: string): Buffer {
  const made = blocks.get(head)
  if (made?.deploymentId === deploymentId) return made.block
  const own = ['x-svc-deployment', deploymentId, 'x-svc-cache', 'BYPASS']
  const fields = foldHeaders([...rawHeaders(head.fields), ...own])
  if (!head.hasStrictTransport) fields[strictTransport[0].toLowerCase()] = strictTransport[1]
  const block = Buffer.concat([encodeStatus(head.status), encodeFields(fields)])
  blocks.set(head, { deploymentId, block })
  return block
}
