// Recognizes requests with the same header fields as an earlier one on the connection. Browsers send the same fields many
// times in a row, so most heads need not be read field by field. Only the value of If-None-Match may differ, since every
// file has its own ETag.
import { neededFields } from '../../../core/stats/fields.ts'
import { detached } from '../../../lib/detached.ts'
import type { Head } from './head.ts'

/** A request line. `head.ts` accepts more methods, but the lane answers only these. */
const requestLine = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n/

/** The name of If-None-Match at the start of a line, with the blanks before its value. */
const tagName = /^if-none-match:[\t ]*/im

/** One ETag. `head.ts` reads lists with blanks. */
const tagForm = /^[!-~\x80-\xff]*$/

/** Longer fields are not kept, since every open connection may keep some. */
const longestFields = 2 * 1024

/** Longer heads are read field by field. */
const longestHead = 2 * longestFields

interface KeptFields {
  head: Head
  /** The fields, with the empty line that ends the head. */
  text: string
}

/** Fields with If-None-Match: what comes before the value of this field, and what comes after it. */
interface FieldsAroundTag {
  head: Head
  before: string
  after: string
}

export class RepeatedFields {
  #withoutTag: KeptFields | undefined
  #aroundTag: FieldsAroundTag | undefined

  /** Keeps the fields of a GET or HEAD that the lane answered or passed to an app. */
  keep(given: Head): void {
    const { fields, ifNoneMatch } = given
    if (fields.length > longestFields) return
    const head = withoutChunk(given)
    if (ifNoneMatch === undefined) this.#withoutTag = { head, text: detached(`${fields}\r\n`) }
    else this.#aroundTag = splitAtTag(head, ifNoneMatch)
  }

  /** Reads `chunk` if it is one whole head with kept fields. */
  read(chunk: Buffer): Head | undefined {
    if (chunk.length > longestHead) return undefined
    const text = chunk.toString('latin1')
    return this.#readWithoutTag(text) ?? this.#readAroundTag(text)
  }

  #readWithoutTag(text: string): Head | undefined {
    const kept = this.#withoutTag
    if (kept === undefined || !text.endsWith(kept.text)) return undefined
    return readLine(text, text.length - kept.text.length, kept.head)
  }

  #readAroundTag(text: string): Head | undefined {
    const kept = this.#aroundTag
    if (kept === undefined) return undefined
    const { before, after } = kept
    const lineLength = text.indexOf('\n') + 1
    const tagAt = lineLength + before.length
    const tagEnd = text.length - after.length
    if (tagEnd < tagAt || !text.startsWith(before, lineLength) || !text.endsWith(after)) return undefined
    const tag = text.slice(tagAt, tagEnd)
    const head = tagForm.test(tag) ? readLine(text, lineLength, kept.head) : undefined
    if (head === undefined) return undefined
    head.ifNoneMatch = tag
    head.fields = text.slice(lineLength, -2)
    head.appFields = undefined
    return head
  }
}

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
  return {
    head,
    before: detached(fields.slice(0, at)),
    after: detached(`${fields.slice(at + tag.length)}\r\n`),
  }
}

/** Reads the request line, which has `length` characters. The rest of the head is taken from `kept`. */
function readLine(text: string, length: number, kept: Head): Head | undefined {
  const match = requestLine.exec(text)
  if (match === null || match[0].length !== length) return undefined
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
    length: text.length,
    bodyBytes: 0,
  }
}
