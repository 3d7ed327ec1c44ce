// Decodes header blocks (RFC 7541), and keeps the sender's dynamic table. It refuses the blocks that nghttp2, the
// library inside node:http2, refuses.
import { type Field, makeField } from './field.ts'
import { decodeHuffman } from './huffman.ts'
import { staticTable } from './static-table.ts'

/** SETTINGS_HEADER_TABLE_SIZE, which svcd leaves at its default. */
export const tableBytes = 4096
const longestString = 65_536
/**
 * Fields after the first 70,000 bytes or 200 fields of a block are not returned. Both limits are above node:http2's
 * own, so that node:http2 refuses the request all the same.
 */
const keptBytes = 70_000
const keptFields = 200

/** Thrown if a block cannot be decoded. The dynamic table may be wrong then, so the connection has to end. */
class Malformed extends Error {}

export class Decoder {
  /** The dynamic table. The newest entry is the last. */
  readonly #table: Field[] = []
  #tableSize = 0
  #maxSize = tableBytes
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  /**
   * Returns the fields of a header block, or undefined if the block is malformed. Fields beyond `keptBytes` or
   * `keptFields` are decoded, since they may change the table, but not returned.
   */
  decode(block: Buffer): Field[] | undefined {
    this.#bytes = block
    this.#at = 0
    this.#end = block.length
    try {
      return this.#fields()
    } catch (error) {
      if (error instanceof Malformed) return undefined
      throw error
    }
  }

  #fields(): Field[] {
    const fields: Field[] = []
    let kept = 0
    while (this.#at < this.#end) {
      const first = this.#bytes[this.#at]!
      if ((first & 0xe0) === 0x20) {
        // The size of the table may change only at the start of a block (RFC 7541, 4.2).
        if (kept > 0) throw new Malformed()
        this.#resize(this.#integer(0x1f))
        continue
      }
      const field = this.#field(first)
      if (kept < keptBytes && fields.length < keptFields) fields.push(field)
      kept += field.size
    }
    return fields
  }

  #field(first: number): Field {
    if ((first & 0x80) !== 0) return this.#entry(this.#integer(0x7f))
    const isKept = (first & 0x40) !== 0
    const index = this.#integer(isKept ? 0x3f : 0x0f)
    const name = index === 0 ? this.#string() : this.#entry(index).name
    const field = makeField(name, this.#string(), (first & 0xf0) === 0x10)
    if (isKept) this.#insert(field)
    return field
  }

  #entry(index: number): Field {
    const field =
      index <= staticTable.length
        ? staticTable[index - 1]
        : this.#table[this.#table.length - (index - staticTable.length)]
    if (field === undefined) throw new Malformed()
    return field
  }

  #insert(field: Field): void {
    this.#evict(this.#maxSize - field.size)
    if (field.size > this.#maxSize) return
    this.#table.push(field)
    this.#tableSize += field.size
  }

  #resize(size: number): void {
    if (size > tableBytes) throw new Malformed()
    this.#maxSize = size
    this.#evict(size)
  }

  /** Drops the oldest entries until the others take at most `room` bytes. */
  #evict(room: number): void {
    let count = 0
    while (this.#tableSize > room && count < this.#table.length) this.#tableSize -= this.#table[count++]!.size
    if (count > 0) this.#table.splice(0, count)
  }

  /** Reads an integer (RFC 7541, 5.1). `mask` covers the bits of the first byte that belong to the integer. */
  #integer(mask: number): number {
    let value = this.#byte() & mask
    if (value < mask) return value
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = this.#byte()
      value += (byte & 0x7f) * 2 ** shift
      if (value > 0xffff_ffff) break
      if (byte < 0x80) return value
    }
    throw new Malformed()
  }

  #string(): string {
    if (this.#at >= this.#end) throw new Malformed()
    const isHuffman = (this.#bytes[this.#at]! & 0x80) !== 0
    const length = this.#integer(0x7f)
    const start = this.#at
    if (length > longestString || start + length > this.#end) throw new Malformed()
    this.#at += length
    if (!isHuffman) return this.#bytes.toString('latin1', start, this.#at)
    const text = decodeHuffman(this.#bytes, start, this.#at)
    if (text === undefined) throw new Malformed()
    return text
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new Malformed()
    return this.#bytes[this.#at++]!
  }
}
