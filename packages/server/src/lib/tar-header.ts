// Decodes a 512-byte tar header of the formats V7, ustar, PAX and GNU, and checks its checksum.
import { Fault } from './fault.ts'

export const blockBytes = 512

export interface TarHeader {
  /** The type flag. V7 uses NUL for a regular file. */
  type: string
  /** Raw bytes. The caller checks whether they are valid text. */
  path: Buffer
  size: () => number
}

export function corrupt(what: string): Fault {
  return new Fault('invalid_archive', `The archive is damaged: ${what}. Pack the site again.`)
}

/** The result refers to the bytes of the block. Throws if the checksum is wrong. */
export function decodeHeader(block: Buffer): TarHeader {
  checkSum(block)
  return {
    type: String.fromCharCode(block[156]!),
    path: decodePath(block),
    size: () => decodeNumber(block.subarray(124, 136)),
  }
}

export function isZero(block: Buffer): boolean {
  return block[0] === 0 && block.every(byte => byte === 0)
}

/** The text of a field or body up to the first NUL. */
export function cut(field: Buffer): Buffer {
  const end = field.indexOf(0)
  return end < 0 ? field : field.subarray(0, end)
}

/** The sum of all bytes, with the checksum field counted as spaces. Some old tars added signed bytes. */
function checkSum(block: Buffer) {
  let unsigned = 0
  let high = 0
  for (let i = 0; i < blockBytes; i++) {
    const byte = i >= 148 && i < 156 ? 32 : block[i]!
    unsigned += byte
    high += byte >> 7
  }
  const stated = decodeNumber(block.subarray(148, 156))
  if (stated !== unsigned && stated !== unsigned - 256 * high) throw corrupt('a header has a wrong checksum')
}

/** GNU tar, recognized by its magic, uses the bytes of the ustar prefix for other fields. */
function decodePath(block: Buffer): Buffer {
  const name = cut(block.subarray(0, 100))
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? cut(block.subarray(345, 500)) : block.subarray(0, 0)
  if (prefix.length === 0) return name
  return Buffer.concat([prefix, Buffer.from('/'), name])
}

/** Octal digits between spaces and NULs, or, with the top bit set, a big-endian number in base 256. */
function decodeNumber(field: Buffer): number {
  if (field[0]! & 0x80) return decodeBase256(field)
  const digits = cut(field).toString('latin1').trim()
  if (!/^[0-7]*$/.test(digits)) throw corrupt('a header contains an invalid number')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function decodeBase256(field: Buffer): number {
  if (field[0]! & 0x40) throw corrupt('a header holds a negative number')
  let value = field[0]! & 0x3f
  for (const byte of field.subarray(1)) value = value * 256 + byte
  return value
}
