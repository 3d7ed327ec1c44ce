// Compresses the answer of an app on its way to the client. The head waits for the first compressed bytes, so that a short answer goes
// out in one write.
import type { AppTarget, BodyEncoder, Compression } from '../sources.ts'
import type { AnswerHead } from './answer-head.ts'
import type { AppClient, DirectClient } from './app-client.ts'

interface CompressedParts {
  client: DirectClient
  /** Called once, when the whole answer was passed to the client. */
  onSent(): void
  /** Called when the body cannot be compressed. */
  onFailed(): void
}

const nothing: Buffer = Buffer.alloc(0)
const ignore = (): void => undefined

export class CompressedClient implements AppClient {
  readonly takesContent = true
  /** The content comes by `writeContent`, as soon as the app sends it. */
  readonly writeFramed = ignore
  isFull = false
  /** The bytes of the compressed body so far. */
  bodyBytes = 0
  readonly #parts: CompressedParts
  readonly #encoder: BodyEncoder | undefined
  #head: { head: AnswerHead; target: AppTarget } | undefined
  #isHeadSent = false
  #hasContent = false
  #trailers: readonly string[] | undefined

  /** Returns `undefined` if too many answers are being compressed already. */
  static open(compression: Compression, parts: CompressedParts): CompressedClient | undefined {
    const client = new CompressedClient(compression, parts)
    return client.#encoder === undefined ? undefined : client
  }

  private constructor(compression: Compression, parts: CompressedParts) {
    const { client } = parts
    this.#parts = parts
    this.#encoder = compression.open({
      write: encoded => this.#send(encoded),
      whenDrained: action => client.whenDrained(action),
      end: last => this.#sendLast(last),
      fail: () => parts.onFailed(),
    })
  }

  begin(head: AnswerHead, target: AppTarget): void {
    this.#head = { head, target }
    // The head of a stream does not wait for its first bytes, which may come much later.
    if (!this.#hasContent) this.#sendHead()
  }

  writeContent(content: Buffer): void {
    this.#hasContent = true
    this.isFull = !this.#encoder!.write(Buffer.from(content))
  }

  whenDrained(action: () => void): void {
    this.#encoder!.whenDrained(() => {
      this.isFull = false
      action()
    })
  }

  end(trailers?: readonly string[]): void {
    this.#trailers = trailers
    this.#encoder!.end()
  }

  abort(): void {
    this.destroy()
    this.#parts.client.abort()
  }

  /** Ends the work, because the client went away. */
  destroy(): void {
    this.#encoder!.destroy()
  }

  #sendHead(): void {
    const { head, target } = this.#head!
    this.#isHeadSent = true
    this.#parts.client.begin(head, target, nothing, true)
  }

  #send(encoded: Buffer): boolean {
    const { client } = this.#parts
    if (!this.#isHeadSent) this.#sendHead()
    this.bodyBytes += encoded.length
    client.writeContent(encoded)
    return !client.isFull
  }

  #sendLast(last: Buffer): void {
    const { client, onSent } = this.#parts
    const trailers = this.#trailers ?? []
    this.bodyBytes += last.length
    if (!this.#isHeadSent) client.sendWhole(this.#head!.head, this.#head!.target, last, trailers)
    else {
      if (last.length > 0) client.writeContent(last)
      client.end(trailers)
    }
    onSent()
  }
}

/** Returns the head of the compressed answer. It is made once for a head that repeats. */
export function compressedHead(head: AnswerHead, { coding, fields }: Compression): AnswerHead {
  if (head.compressed?.coding !== coding) {
    const changed = { length: undefined, isChunked: true, sent: undefined, compressed: undefined }
    head.compressed = { coding, head: { ...head, ...changed, fields: fields() } }
  }
  return head.compressed!.head
}
