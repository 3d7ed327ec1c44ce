// Recognizes requests with the same header fields as an earlier one on the connection. Browsers send the same fields for every file
// of a kind, so most heads need not be read field by field. Only the value of If-None-Match may differ, since every file has its own
// ETag. The fields are compared as bytes, and only the request line and the ETag become texts.
import { neededFields } from '../../../core/stats/fields.ts'
import { detached } from '../../../lib/detached.ts'
import type { Head } from './head.ts'

/** A path with its query, as in `head.ts`. */
const targetForm = /^\/[!"$-~]*$/
const lineEnd = ' HTTP/1.1\r\n'
const newline = 10

/** The name of If-None-Match at the start of a line, with the blanks before its value. */
const tagName = /^if-none-match:[\t ]*/im

/** One ETag. `head.ts` reads lists with blanks. */
const tagForm = /^[!-~\x80-\xff]*$/

/** Longer fields are not kept, since every open connection may keep some. */
const longestFields = 2 * 1024

/** Browsers send other fields for pages, styles, scripts, pictures, fonts and data. */
const mostKinds = 6

/** Longer heads are read field by field. */
const longestHead = 2 * longestFields

interface KeptFields {
  head: Head
  /** The fields, with the empty line that ends the head. */
  bytes: Buffer
}

/** Fields with If-None-Match: what comes before the value of this field, and what comes after it. */
interface FieldsAroundTag {
  head: Head
  before: string
  beforeBytes: Buffer
  /** Without the empty line that ends the head. */
  after: string
  afterBytes: Buffer
}

export class RepeatedFields {
  readonly #withoutTag: KeptFields[] = []
  readonly #aroundTag: FieldsAroundTag[] = []

  /** Keeps the fields of a GET or HEAD that the lane answered or passed to an app. */
  keep(given: Head): void {
    const { fields, ifNoneMatch } = given
    if (fields.length > longestFields) return
    const head = withoutChunk(given)
    if (ifNoneMatch === undefined) keepOne(this.#withoutTag, { head, bytes: bytesOf(`${fields}\r\n`) })
    else keepOne(this.#aroundTag, splitAtTag(head, ifNoneMatch))
  }

  /** Reads `chunk` if it is one whole head with kept fields. */
  read(chunk: Buffer): Head | undefined {
    if (chunk.length > longestHead) return undefined
    return this.#readWithoutTag(chunk) ?? this.#readAroundTag(chunk)
  }

  #readWithoutTag(chunk: Buffer): Head | undefined {
    for (const { head, bytes } of this.#withoutTag) {
      const lineLength = chunk.length - bytes.length
      if (chunk[lineLength - 1] === newline && isAt(chunk, lineLength, bytes))
        return readLine(chunk, lineLength, head)
    }
    return undefined
  }

  #readAroundTag(chunk: Buffer): Head | undefined {
    if (this.#aroundTag.length === 0) return undefined
    const lineLength = chunk.indexOf(newline) + 1
    for (const { head, before, beforeBytes, after, afterBytes } of this.#aroundTag) {
      const tagAt = lineLength + beforeBytes.length
      const tagEnd = chunk.length - afterBytes.length
      if (tagEnd < tagAt || !isAt(chunk, lineLength, beforeBytes) || !isAt(chunk, tagEnd, afterBytes))
        continue
      const tag = chunk.toString('latin1', tagAt, tagEnd)
      if (tagForm.test(tag)) return withTag(readLine(chunk, lineLength, head), tag, before + tag + after)
    }
    return undefined
  }
}

/** Keeps the latest ones. */
function keepOne<T>(kept: T[], one: T): void {
  if (kept.length === mostKinds) kept.shift()
  kept.push(one)
}

/** In memory of its own. `Buffer.from` takes short texts from a larger block, which would be held as long as they are. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length)
  bytes.write(text, 'latin1')
  return bytes
}

/** Whether `bytes` are at `at` in `chunk`. */
const isAt = (chunk: Buffer, at: number, bytes: Buffer): boolean =>
  at >= 0 &&
  at + bytes.length <= chunk.length &&
  chunk.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0

/** Returns the head without its line, in memory of its own: the strings of `given` hold the whole chunk that they came with. */
function withoutChunk(given: Head): Head {
  const own = (text: string | undefined) => text && detached(text)
  return {
    ...given,
    method: 'GET',
    target: '/',
    host: detached(given.host),
    acceptEncoding: own(given.acceptEncoding),
    ifNoneMatch: own(given.ifNoneMatch),
    ifModifiedSince: own(given.ifModifiedSince),
    fields: detached(given.fields),
    loggedFields: detached(neededFields(given.fields, false)),
    appFields: own(given.appFields),
  }
}

function splitAtTag(head: Head, tag: string): FieldsAroundTag {
  const { fields } = head
  const { 0: name, index } = tagName.exec(fields)!
  const at = index + name.length
  const before = detached(fields.slice(0, at))
  const after = detached(fields.slice(at + tag.length))
  return { head, before, beforeBytes: bytesOf(before), after, afterBytes: bytesOf(`${after}\r\n`) }
}

function withTag(head: Head | undefined, tag: string, fields: string): Head | undefined {
  if (head === undefined) return undefined
  head.ifNoneMatch = tag
  head.fields = fields
  head.appFields = undefined
  return head
}

/** Reads the request line, which has `length` bytes. The rest of the head is taken from `kept`. */
function readLine(chunk: Buffer, length: number, kept: Head): Head | undefined {
  const line = chunk.toString('latin1', 0, length)
  // `head.ts` accepts more methods, but the lane answers only these.
  const method = line.startsWith('GET ') ? 'GET' : line.startsWith('HEAD ') ? 'HEAD' : undefined
  if (method === undefined || !line.endsWith(lineEnd)) return undefined
  const target = line.slice(method.length + 1, -lineEnd.length)
  if (!targetForm.test(target)) return undefined
  return {
    method,
    target,
    host: kept.host,
    acceptEncoding: kept.acceptEncoding,
    ifNoneMatch: kept.ifNoneMatch,
    ifModifiedSince: kept.ifModifiedSince,
    fields: kept.fields,
    loggedFields: kept.loggedFields,
    appFields: kept.appFields,
    isPlain: true,
    isPassable: true,
    length: chunk.length,
    bodyBytes: 0,
  }
}
