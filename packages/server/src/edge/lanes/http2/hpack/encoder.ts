// Encodes header fields without the dynamic table (RFC 7541, 6.2.2 and 6.2.3), so that the table stays as node:http2
// knows it.
import type { OutgoingHttpHeaders } from 'node:http'
import type { Field } from './field.ts'
import { encodeHuffman } from './huffman.ts'
import { staticIndexOf, staticTable } from './static-table.ts'

const withoutIndexing = 0x00
const neverIndexed = 0x10
const huffman = 0x80
/** Enough for the encoded length of a name or value, and for one byte before it. */
const mostBytesOfLength = 6

/** Encodes a field of an answer. Uses the static table for the name, and Huffman codes where these are shorter. */
export function encodeField(name: string, value: string): Buffer {
  const index = staticIndexOf(name)
  const parts = [integer(index, 0x0f, withoutIndexing)]
  if (index === 0) parts.push(text(name))
  return Buffer.concat([...parts, text(value)])
}

/** Encodes `:status`, as an index if the static table has it. */
export function encodeStatus(status: number): Buffer {
  const at = staticTable.findIndex(({ name, value }) => name === ':status' && value === String(status))
  return at < 0 ? encodeField(':status', String(status)) : integer(at + 1, 0x7f, 0x80)
}

/** Encodes fields whose names are in lower case. */
export function encodeFields(fields: OutgoingHttpHeaders): Buffer {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(one => encodeField(name, String(one))),
  )
  return Buffer.concat(parts)
}

/** Encodes a field whose value is another one each time. Huffman codes would take more time than they save. */
export const encodePlainField = (name: string, value: string): Buffer =>
  encodeLiterally([{ name, value, isSensitive: false }])

/** Encodes the fields of a request for node:http2. Uses no table and no Huffman codes, which takes the least time. */
export function encodeLiterally(fields: readonly Pick<Field, 'name' | 'value' | 'isSensitive'>[]): Buffer {
  let most = 0
  for (const { name, value } of fields) most += name.length + value.length + 2 * mostBytesOfLength
  const block = Buffer.allocUnsafe(most)
  let at = 0
  for (const { name, value, isSensitive } of fields) {
    block[at++] = isSensitive ? neverIndexed : withoutIndexing
    at = writeInteger(block, at, name.length, 0x7f, 0)
    at += block.write(name, at, 'latin1')
    at = writeInteger(block, at, value.length, 0x7f, 0)
    at += block.write(value, at, 'latin1')
  }
  return block.subarray(0, at)
}

function text(value: string): Buffer {
  const short = encodeHuffman(value)
  if (short.length < value.length) return Buffer.concat([integer(short.length, 0x7f, huffman), short])
  return Buffer.concat([integer(value.length, 0x7f, 0), Buffer.from(value, 'latin1')])
}

function integer(value: number, mask: number, first: number): Buffer {
  const bytes = Buffer.alloc(mostBytesOfLength)
  return bytes.subarray(0, writeInteger(bytes, 0, value, mask, first))
}

/**
 * Writes an integer at `at` (RFC 7541, 5.1), and returns where it ends. `mask` covers the bits of the first byte that
 * belong to the integer; `first` holds the other bits.
 */
function writeInteger(into: Buffer, at: number, value: number, mask: number, first: number): number {
  let end = at
  if (value < mask) {
    into[end++] = first | value
    return end
  }
  into[end++] = first | mask
  let rest = value - mask
  while (rest >= 0x80) {
    into[end++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  into[end++] = rest
  return end
}
