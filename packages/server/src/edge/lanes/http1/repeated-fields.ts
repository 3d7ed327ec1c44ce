// Recognizes requests with the same header fields as an earlier one on the connection. Browsers send the same fields many
// times in a row, so most heads need not be read field by field. Only the value of If-None-Match may differ, since every
// file has its own ETag.
import { neededFields } from '../../../core/stats/fields.ts'
import { detached } from '../../../lib/detached.ts'
import type { Head } from './head.ts'

/** A request line. `head.ts` accepts more methods, but the lane answers only these. */
const requestLine = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n$/

/** The name of If-None-Match at the start of a line, with the blanks before its value. */
const tagName = /^if-none-match:[\t ]*/im

/** One ETag. `head.ts` reads lists with blanks. */
const tagForm = /^[!-~\x80-\xff]*$/

const lineFeed = 0x0a

/** Longer fields are not kept, since every open connection may keep some. */
const longestFields = 2 * 1024

interface KeptFields {
  head: Head
  bytes: Buffer
}

/** Fields with If-None-Match: what comes before the value of this field, and what comes after it. */
interface FieldsAroundTag {
  head: Head
  before: string
  after: string
  beforeBytes: Buffer
  afterBytes: Buffer
}

export class RepeatedFields {
  #withoutTag: KeptFields | undefined
  #aroundTag: FieldsAroundTag | undefined

  /** Keeps the fields of a GET or HEAD that the lane answered or passed to an app. */
  keep(given: Head): void {
    const { fields, ifNoneMatch } = given
    if (fields.length > longestFields) return
    const head = { ...given, loggedFields: detached(neededFields(fields, false)) }
    if (ifNoneMatch === undefined) this.#withoutTag = { head, bytes: endOfHead(fields) }
    else this.#aroundTag = splitAtTag(head, ifNoneMatch)
  }

  /** Reads `chunk` if it is one whole head with kept fields. */
  read(chunk: Buffer): Head | undefined {
    return this.#readWithoutTag(chunk) ?? this.#readAroundTag(chunk)
  }

  #readWithoutTag(chunk: Buffer): Head | undefined {
    const kept = this.#withoutTag
    if (kept === undefined) return undefined
    const lineBytes = chunk.length - kept.bytes.length
    if (lineBytes <= 0 || !hasBytesAt(chunk, lineBytes, kept.bytes)) return undefined
    return readLine(chunk, lineBytes, kept.head)
  }

  #readAroundTag(chunk: Buffer): Head | undefined {
    const kept = this.#aroundTag
    if (kept === undefined) return undefined
    const { before, after, beforeBytes, afterBytes } = kept
    const lineBytes = chunk.indexOf(lineFeed) + 1
    const tagAt = lineBytes + beforeBytes.length
    const tagEnd = chunk.length - afterBytes.length
    if (tagEnd < tagAt || !hasBytesAt(chunk, lineBytes, beforeBytes)) return undefined
    if (!hasBytesAt(chunk, tagEnd, afterBytes)) return undefined
    const tag = chunk.toString('latin1', tagAt, tagEnd)
    const head = tagForm.test(tag) ? readLine(chunk, lineBytes, kept.head) : undefined
    if (head === undefined) return undefined
    head.ifNoneMatch = tag
    head.fields = before + tag + after
    head.appFields = undefined
    return head
  }
}

function splitAtTag(head: Head, tag: string): FieldsAroundTag {
  const { fields } = head
  const { 0: name, index } = tagName.exec(fields)!
  const at = index + name.length
  const before = fields.slice(0, at)
  const after = fields.slice(at + tag.length)
  return { head, before, after, beforeBytes: Buffer.from(before, 'latin1'), afterBytes: endOfHead(after) }
}

/** The bytes of the fields, with the empty line that ends the head. */
const endOfHead = (fields: string): Buffer => Buffer.from(`${fields}\r\n`, 'latin1')

const hasBytesAt = (chunk: Buffer, at: number, bytes: Buffer): boolean =>
  chunk.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0

/** Reads the request line, which has `lineBytes` bytes. The rest of the head is taken from `kept`. */
function readLine(chunk: Buffer, lineBytes: number, kept: Head): Head | undefined {
  const match = requestLine.exec(chunk.toString('latin1', 0, lineBytes))
  if (match === null) return undefined
  return {
    method: match[1]!,
    target: match[2]!,
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
