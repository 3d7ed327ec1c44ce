// Reads zip archives in the browser. Only the list of entries is read at first; an entry is unpacked when its content is
// needed, and never to more bytes than the list says. So an archive cannot fill the memory, whatever it claims to hold.
import { limits } from '@svc/contract/limits'
import { isExcludedFile, pathProblem, tooManyFiles } from '@svc/contract/site'
import type { Collection } from '../upload/collect.ts'
import { type FileContent, Refusal, type SiteFile, stripFolder } from '../upload/selection.ts'
import { type Entry, listEntries, viewOf } from './zip-entries.ts'

/** The archive, if one was dropped alone. Among other files it is a part of the site. */
export function zipIn({ files }: Collection): File | undefined {
  const [only] = files
  const isZip = files.length === 1 && only?.file instanceof File && /\.zip$/i.test(only.path)
  return isZip ? (only.file as File) : undefined
}

/** The local file header of an entry: 30 bytes, then the name and the extra field. */
const localRecord = { signature: 0x04034b50, bytes: 30 }

/** The files of a zip archive, without what macOS adds to it. Throws a Refusal if it cannot be read. */
export async function unzip(archive: File): Promise<Collection> {
  const refuse = (problem: string) => new Refusal(`${archive.name} cannot be unpacked: ${problem}`)
  const entries = (await listEntries(archive, refuse)).filter(isWanted)
  if (entries.length > limits.files) throw new Refusal(tooManyFiles)
  const seen = new Set<string>()
  for (const { path, isEncrypted, method } of entries) {
    const problem = pathProblem(path)
    if (problem) throw refuse(`the entry '${path.slice(0, 200)}' ${problem}.`)
    if (seen.has(path)) throw refuse(`it has two entries with the name '${path}'.`)
    seen.add(path)
    if (isEncrypted) throw refuse('it has a password. Unpack it first, then drop the folder.')
    if (method !== 0 && method !== 8)
      throw refuse(`'${path}' is compressed in a way that browsers do not know. Pack it with Deflate.`)
  }
  const { folder, files } = stripFolder(entries.map(entry => zippedFile(archive, entry)))
  return { folder: folder || archive.name.replace(/\.zip$/i, ''), files }
}

/** Folders have entries of their own; symbolic links are left out of every upload from a browser. */
const isWanted = ({ path, isLink }: Entry): boolean =>
  !path.endsWith('/') && !isLink && !path.startsWith('__MACOSX/') && !isExcludedFile(path)

function zippedFile(archive: File, entry: Entry): SiteFile {
  const arrayBuffer = () => unpack(archive, entry)
  const file: FileContent = {
    size: entry.size,
    arrayBuffer,
    text: async () => new TextDecoder().decode(await arrayBuffer()),
  }
  return { path: entry.path, size: entry.size, file }
}

async function unpack(
  archive: File,
  { path, method, crc, packedSize, size, offset }: Entry,
): Promise<ArrayBuffer> {
  const damaged = new Refusal(`${path} in ${archive.name} is damaged. Pack the archive again.`)
  const header = await viewOf(archive.slice(offset, offset + localRecord.bytes))
  if (header.byteLength < localRecord.bytes || header.getUint32(0, true) !== localRecord.signature)
    throw damaged
  const start = offset + localRecord.bytes + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = archive.slice(start, start + packedSize)
  const content = method === 0 ? await packed.arrayBuffer() : await inflate(packed, size, damaged)
  if (content.byteLength !== size || crc32(new Uint8Array(content)) !== crc) throw damaged
  return content
}

/** Unpacks to exactly `size` bytes. Stops as soon as there are more. */
async function inflate(packed: Blob, size: number, damaged: Refusal): Promise<ArrayBuffer> {
  const content = new Uint8Array(size)
  let filled = 0
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw damaged
    })
    if (done) break
    if (filled + value.length > size) {
      await reader.cancel()
      throw damaged
    }
    content.set(value, filled)
    filled += value.length
  }
  if (filled !== size) throw damaged
  return content.buffer
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}
