// Reads the list of entries at the end of a zip archive.
import { normalPath, pathProblem } from '@svc/contract/site'

/** The record at the end of an archive: 22 bytes, and a comment of up to 64 KB after them. */
const endRecord = { signature: 0x06054b50, bytes: 22, longestComment: 0xffff }
const entryRecord = { signature: 0x02014b50, bytes: 46 }
/** Room for the longest list without the Zip64 format: 65,535 entries with paths of 200 bytes. */
const longestListBytes = 16 * 1024 * 1024
/** Set in the Unix mode of a symbolic link. */
const linkMode = 0o120000
const kindOfMode = 0o170000

export interface Entry {
  path: string
  method: number
  isEncrypted: boolean
  isLink: boolean
  crc: number
  packedSize: number
  size: number
  offset: number
}

/** Makes the error for an archive that cannot be read. */
type Refuse = (problem: string) => Error

export async function listEntries(archive: Blob, refuse: Refuse): Promise<Entry[]> {
  const tailBytes = Math.min(archive.size, endRecord.bytes + endRecord.longestComment)
  const tail = await viewOf(archive.slice(archive.size - tailBytes))
  let end = tail.byteLength - endRecord.bytes
  while (end >= 0 && tail.getUint32(end, true) !== endRecord.signature) end -= 1
  if (end < 0) throw refuse('it is not a zip archive, or it is cut off.')
  const count = tail.getUint16(end + 10, true)
  const listBytes = tail.getUint32(end + 12, true)
  const listOffset = tail.getUint32(end + 16, true)
  if (count === 0xffff || listOffset === 0xffffffff) throw refuse('it has too many entries or is too large.')
  if (listBytes > longestListBytes) throw refuse('its list of entries is too long.')
  const list = await viewOf(archive.slice(listOffset, listOffset + listBytes))
  const entries: Entry[] = []
  for (let at = 0; entries.length < count; ) {
    const isWhole = at + entryRecord.bytes <= list.byteLength
    if (!isWhole || list.getUint32(at, true) !== entryRecord.signature)
      throw refuse('its list of entries is damaged.')
    const nameBytes = list.getUint16(at + 28, true)
    const next =
      at + entryRecord.bytes + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true)
    if (next > list.byteLength) throw refuse('its list of entries is damaged.')
    const name = new Uint8Array(list.buffer, list.byteOffset + at + entryRecord.bytes, nameBytes)
    entries.push(entryAt(list, at, decodeName(name, refuse)))
    at = next
  }
  return entries
}

const entryAt = (list: DataView, at: number, name: string): Entry => ({
  path: name,
  isEncrypted: (list.getUint16(at + 8, true) & 1) === 1,
  method: list.getUint16(at + 10, true),
  crc: list.getUint32(at + 16, true),
  packedSize: list.getUint32(at + 20, true),
  size: list.getUint32(at + 24, true),
  isLink: ((list.getUint32(at + 38, true) >>> 16) & kindOfMode) === linkMode,
  offset: list.getUint32(at + 42, true),
})

function decodeName(bytes: Uint8Array, refuse: Refuse): string {
  try {
    const name = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // `./a` and `a//b` name the same file as `a` and `a/b`. A broken path is kept as it is, so that it is refused.
    if (pathProblem(name)) return name
    return normalPath(name) + (name.endsWith('/') ? '/' : '')
  } catch {
    throw refuse('a file name in it is not UTF-8. Pack it again with another program.')
  }
}

export const viewOf = async (blob: Blob): Promise<DataView> => new DataView(await blob.arrayBuffer())
