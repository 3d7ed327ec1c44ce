// Recognizes requests with the same header fields as an earlier one on the connection. Browsers send the same fields
// many times in a row, so most heads need not be read field by field.
import { neededFields } from '../../../core/stats/fields.ts'
import { detached } from '../../../lib/detached.ts'
import type { Head } from './head.ts'

/** A request line. `head.ts` accepts more methods, but the lane answers only these. */
const requestLine = /^(GET|HEAD) (\/[!"$-~]*) HTTP\/1\.1\r\n$/

/** Longer fields are not kept, since every open connection may keep some. */
const longestFields = 2 * 1024

export class RepeatedFields {
  #head: Head | undefined
  /** The bytes of the fields, with the empty line that ends the head. */
  #bytes = Buffer.alloc(0)

  /**
   * Keeps the fields of a GET or HEAD that the lane answered or passed to an app. A head with conditions is not kept, since every file has another
   * ETag.
   */
  keep(head: Head): void {
    const { fields, ifNoneMatch, ifModifiedSince } = head
    if (ifNoneMatch !== undefined || ifModifiedSince !== undefined || fields.length > longestFields) return
    this.#head = { ...head, loggedFields: detached(neededFields(fields, false)) }
    this.#bytes = Buffer.from(`${fields}\r\n`, 'latin1')
  }

  /** Reads `chunk` if it is one whole head with the kept fields. */
  read(chunk: Buffer): Head | undefined {
    const bytes = this.#bytes
    const lineBytes = chunk.length - bytes.length
    if (this.#head === undefined || lineBytes <= 0) return undefined
    if (chunk.compare(bytes, 0, bytes.length, lineBytes) !== 0) return undefined
    const match = requestLine.exec(chunk.toString('latin1', 0, lineBytes))
    if (match === null) return undefined
    const { host, acceptEncoding, fields, loggedFields, appFields } = this.#head
    return {
      method: match[1]!,
      target: match[2]!,
      host,
      acceptEncoding,
      ifNoneMatch: undefined,
      ifModifiedSince: undefined,
      fields,
      loggedFields,
      appFields,
      isPlain: true,
      isPassable: true,
      length: chunk.length,
      bodyBytes: 0,
    }
  }
}
