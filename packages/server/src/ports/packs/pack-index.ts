// The index at the end of a pack: sorted records of fixed width and their paths. It is searched in place, without parsing.
import { crc32 } from 'node:zlib'

/*
  A pack is   contents | records | paths | footer   (all numbers little-endian).

  record (50 bytes)              footer (32 bytes)
   0  u32  path start in paths    0  8 bytes  magic
   4  u16  path length            8  u32      format version
   6  u48  content offset        12  u32      number of records
  12  u48  content size          16  u48      offset of the records
  18  32   SHA-256 of content    22  u48      sum of content sizes
                                 28  u32      CRC-32 of records, paths and the footer so far
*/
const magic = Buffer.from('svcpack\n')
const version = 1
const recordBytes = 50
export const footerBytes = 32
const checkedFooterBytes = 28
const maxPathBytes = 0xffff

/** One file of a pack. It is plain data and stays valid after the reader is closed. */
export interface PackFile {
  readonly path: string
  readonly offset: number
  readonly size: number
  /** The hash of the content, in hex. */
  readonly sha256: string
}

export interface IndexEntry {
  path: string
  offset: number
  size: number
  /** 32 bytes as a Latin-1 string, which takes much less memory than a Buffer. */
  sha256: string
}

/** Encodes the records, paths and footer of a pack whose contents end at `offset`. */
export function encodeIndex(entries: Iterable<IndexEntry>, offset: number): Buffer {
  // Latin-1 strings sort in the order of their bytes, and compare faster than buffers.
  const rows = Array.from(entries, entry => ({ entry, key: Buffer.from(entry.path).toString('latin1') }))
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  const pathBytes = rows.reduce((sum, row) => sum + row.key.length, 0)
  const pathsAt = rows.length * recordBytes
  const out = Buffer.alloc(pathsAt + pathBytes + footerBytes)
  let total = 0
  let pathStart = 0
  for (const [i, { entry, key }] of rows.entries()) {
    if (key.length > maxPathBytes) throw new RangeError('A path in a pack is at most 65,535 bytes long')
    const at = i * recordBytes
    out.writeUInt32LE(pathStart, at)
    out.writeUInt16LE(key.length, at + 4)
    out.writeUIntLE(entry.offset, at + 6, 6)
    out.writeUIntLE(entry.size, at + 12, 6)
    out.write(entry.sha256, at + 18, 'latin1')
    out.write(key, pathsAt + pathStart, 'latin1')
    pathStart += key.length
    total += entry.size
  }
  const footer = out.subarray(pathsAt + pathBytes)
  magic.copy(footer)
  footer.writeUInt32LE(version, 8)
  footer.writeUInt32LE(rows.length, 12)
  footer.writeUIntLE(offset, 16, 6)
  footer.writeUIntLE(total, 22, 6)
  footer.writeUInt32LE(crc32(out.subarray(0, out.length - 4)), checkedFooterBytes)
  return out
}

/** The offset of the index, from the last 32 bytes of a pack of `packBytes`. */
export function indexOffset(footer: Buffer, packBytes: number): number {
  if (footer.length !== footerBytes || !footer.subarray(0, 8).equals(magic))
    throw new DamagedPack('no footer')
  if (footer.readUInt32LE(8) !== version) throw new DamagedPack('unknown format version')
  const offset = footer.readUIntLE(16, 6)
  const pathsAt = offset + footer.readUInt32LE(12) * recordBytes
  if (pathsAt > packBytes - footerBytes) throw new DamagedPack('the footer points outside')
  return offset
}

export class DamagedPack extends Error {
  constructor(what: string) {
    super(`The pack is damaged: ${what}.`)
    this.name = 'DamagedPack'
  }
}

/** The path of a lookup is encoded here, so that a lookup allocates nothing. */
const needle = Buffer.alloc(4096)

export class PackIndex {
  readonly count: number
  readonly totalBytes: number
  readonly #bytes: Buffer
  readonly #pathsAt: number

  /** `bytes` is everything after the contents, including the footer. */
  constructor(bytes: Buffer) {
    const footer = bytes.subarray(bytes.length - footerBytes)
    if (crc32(bytes.subarray(0, bytes.length - 4)) !== footer.readUInt32LE(checkedFooterBytes)) {
      throw new DamagedPack('the index does not match its checksum')
    }
    this.count = footer.readUInt32LE(12)
    this.totalBytes = footer.readUIntLE(22, 6)
    this.#bytes = bytes
    this.#pathsAt = this.count * recordBytes
  }

  get bytes(): number {
    return this.#bytes.length
  }

  find(path: string): PackFile | undefined {
    const key = path.length * 3 <= needle.length ? needle : Buffer.allocUnsafe(path.length * 3)
    const keyLength = key.write(path)
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#compare(middle, key, keyLength)
      if (order === 0) return this.#file(middle, path)
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** All files, sorted by the bytes of their paths. */
  *files(): Generator<PackFile> {
    for (let i = 0; i < this.count; i++) {
      const start = this.#pathStart(i)
      yield this.#file(i, this.#bytes.toString('utf8', start, start + this.#pathLength(i)))
    }
  }

  /** Negative if the record's path sorts before the key. For short paths a loop is faster than `Buffer.compare`. */
  #compare(record: number, key: Buffer, keyLength: number): number {
    const bytes = this.#bytes
    const start = this.#pathStart(record)
    const length = this.#pathLength(record)
    const shared = Math.min(length, keyLength)
    for (let i = 0; i < shared; i++) {
      const difference = bytes[start + i]! - key[i]!
      if (difference !== 0) return difference
    }
    return length - keyLength
  }

  #pathStart(record: number): number {
    return this.#pathsAt + this.#bytes.readUInt32LE(record * recordBytes)
  }

  #pathLength(record: number): number {
    return this.#bytes.readUInt16LE(record * recordBytes + 4)
  }

  #file(record: number, path: string): PackFile {
    const at = record * recordBytes
    return {
      path,
      offset: this.#bytes.readUIntLE(at + 6, 6),
      size: this.#bytes.readUIntLE(at + 12, 6),
      sha256: this.#bytes.toString('hex', at + 18, at + 50),
    }
  }
}
