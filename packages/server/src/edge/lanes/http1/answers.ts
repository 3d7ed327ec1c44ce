// The bytes of answers about hot files, made once a second for each file, since they carry the date.
import { headerLines, valueIn } from '../../../lib/raw-headers.ts'
import type { HotFile } from '../../hot-files.ts'

/** Up to here head and body are joined in one buffer, which is written faster than two. */
export const joinedBytes = 32 * 1024

interface Prepared {
  /** The second in which they were made. */
  second: number
  /** Of a 200: the head, and the body behind it if it is small. */
  whole: Buffer | undefined
  /** The head of a 200 alone, for HEAD. */
  head: Buffer | undefined
  /** A 304. */
  unchanged: Buffer | undefined
}

interface AnswerSettings {
  /** Names and values that every answer gets, unless the site sets the first of them itself. */
  more: readonly string[]
  /** In milliseconds; 0 if connections are kept for as long as clients like. */
  keepAliveTimeout(): number
}

/** Buffers are never changed in place, since one may still be on its way to a slow client. */
export class Answers {
  readonly #prepared = new WeakMap<HotFile, Prepared>()
  readonly #settings: AnswerSettings

  constructor(settings: AnswerSettings) {
    this.#settings = settings
  }

  whole(hot: HotFile): Buffer {
    const prepared = this.#of(hot)
    if (prepared.whole !== undefined) return prepared.whole
    const head = this.head(hot)
    prepared.whole = hot.body.length <= joinedBytes ? Buffer.concat([head, hot.body]) : head
    return prepared.whole
  }

  head(hot: HotFile): Buffer {
    const prepared = this.#of(hot)
    prepared.head ??= this.#write('200 OK', hot.headers, prepared.second)
    return prepared.head
  }

  unchanged(hot: HotFile): Buffer {
    const prepared = this.#of(hot)
    prepared.unchanged ??= this.#write('304 Not Modified', hot.unchangedHeaders, prepared.second)
    return prepared.unchanged
  }

  #of(hot: HotFile): Prepared {
    const second = Math.floor(Date.now() / 1000)
    let prepared = this.#prepared.get(hot)
    if (prepared === undefined || prepared.second !== second) {
      prepared = { second, whole: undefined, head: undefined, unchanged: undefined }
      this.#prepared.set(hot, prepared)
    }
    return prepared
  }

  #write(status: string, headers: readonly string[], second: number): Buffer {
    const { more, keepAliveTimeout } = this.#settings
    const keepMs = keepAliveTimeout()
    let text = `HTTP/1.1 ${status}\r\n${headerLines(headers)}`
    const isSet = valueIn(headers, more[0]?.toLowerCase() ?? '') !== undefined
    if (!isSet) text += headerLines(more)
    text += `Date: ${new Date(second * 1000).toUTCString()}\r\nConnection: keep-alive\r\n`
    if (keepMs > 0) text += `Keep-Alive: timeout=${Math.floor(keepMs / 1000)}\r\n`
    return Buffer.from(`${text}\r\n`, 'latin1')
  }
}
