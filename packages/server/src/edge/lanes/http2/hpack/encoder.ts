// Writes header fields without the dynamic table (RFC 7541, 6.2.2 and 6.2.3), so that it stays what node:http2 thinks
// it is.
import type { Field } from './field.ts'
import { encodeHuffman } from './huffman.ts'
import { staticIndexOf, staticTable } from './static-table.ts'

const withoutIndexing = 0x00
const neverIndexed = 0x10
const huffman = 0x80
/** Of a name's or value's length, and of the byte before it. */
const mostBytesOfLength = 6

/** For answers: as short as it gets. */
export function encodeField(name: string, value: string): Buffer {
  const index = staticIndexOf(name)
  const parts = [integer(index, 0x0f, withoutIndexing)]
  if (index === 0) parts.push(text(name))
  return Buffer.concat([...parts, text(value)])
}

/** Throws for a status that is not in the static table. */
export function encodeStatus(status: 200 | 304): Buffer {
  const at = staticTable.findIndex(({ name, value }) => name === ':status' && value === String(status))
  return integer(at + 1, 0x7f, 0x80)
}

/** For requests on their way to node:http2: as fast as it gets. */
export function encodeLiterally(fields: readonly Field[]): Buffer {
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

/** The mask covers the bits of the first byte that belong to the number; `first` are the other bits. */
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
