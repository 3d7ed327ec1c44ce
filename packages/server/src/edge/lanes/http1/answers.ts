// Prepares the bytes of answers for hot files. They contain the date, so they are reused within one second only.
import { headerLines, valueIn } from '../../../lib/raw-headers.ts'
import type { SentFile } from '../sources.ts'

/** Bodies up to this size are joined with their head in one buffer, which is written faster than two. */
export const joinedBytes = 32 * 1024

interface Prepared {
  /** The time in the Date header, as Unix time in seconds. */
  second: number
  /** The head of a 200, followed by the body if that has at most `joinedBytes`. */
  whole: Buffer | undefined
  /** The head of a 200 without the body. */
  head: Buffer | undefined
  /** A 304. */
  unchanged: Buffer | undefined
}

interface AnswerSettings {
  /**
   * Header names and values in turn, added to every answer. None of them is added if the site itself sets the first
   * one.
   */
  more: readonly string[]
  /** The server's keep-alive timeout in milliseconds. 0 if it has none. */
  keepAliveTimeout(): number
}

/**
 * Makes the bytes of answers, and keeps them for reuse. A buffer is not changed after it was made, since it may still
 * be on its way to a slow client.
 */
export class Answers {
  #prepared = new WeakMap<SentFile, Prepared>()
  readonly #settings: AnswerSettings
  #keepMs: number | undefined
  #connectionFields = ''
  #isLast = false

  constructor(settings: AnswerSettings) {
    this.#settings = settings
  }

  /** Returns the head and the body of a 200. If the body has more than `joinedBytes`, returns only the head. */
  whole(hot: SentFile): Buffer {
    const prepared = this.#of(hot)
    if (prepared.whole !== undefined) return prepared.whole
    const head = this.head(hot)
    prepared.whole = hot.body.length <= joinedBytes ? Buffer.concat([head, hot.body]) : head
    return prepared.whole
  }

  head(hot: SentFile): Buffer {
    const prepared = this.#of(hot)
    prepared.head ??= this.#write('200 OK', hot.headers, prepared.second)
    return prepared.head
  }

  unchanged(hot: SentFile): Buffer {
    const prepared = this.#of(hot)
    prepared.unchanged ??= this.#write('304 Not Modified', hot.unchangedHeaders, prepared.second)
    return prepared.unchanged
  }

  /** From now on, each answer is the last of its connection. */
  sayLast(): void {
    this.#isLast = true
    this.#prepared = new WeakMap()
  }

  /** The fields about the client's connection, one per line. */
  get connectionFields(): string {
    if (this.#isLast) return 'Connection: close\r\n'
    const keepMs = this.#settings.keepAliveTimeout()
    if (keepMs !== this.#keepMs) {
      this.#keepMs = keepMs
      const keep = keepMs > 0 ? `Keep-Alive: timeout=${Math.floor(keepMs / 1000)}\r\n` : ''
      this.#connectionFields = `Connection: keep-alive\r\n${keep}`
    }
    return this.#connectionFields
  }

  #of(hot: SentFile): Prepared {
    const second = Math.floor(Date.now() / 1000)
    let prepared = this.#prepared.get(hot)
    if (prepared === undefined || prepared.second !== second) {
      prepared = { second, whole: undefined, head: undefined, unchanged: undefined }
      this.#prepared.set(hot, prepared)
    }
    return prepared
  }

  #write(status: string, headers: readonly string[], second: number): Buffer {
    const { more } = this.#settings
    let text = `HTTP/1.1 ${status}\r\n${headerLines(headers)}`
    const isSet = valueIn(headers, more[0]?.toLowerCase() ?? '') !== undefined
    if (!isSet) text += headerLines(more)
    text += `Date: ${new Date(second * 1000).toUTCString()}\r\n${this.connectionFields}`
    return Buffer.from(`${text}\r\n`, 'latin1')
  }
}
