// Writes tar archives: plain ustar, with a PAX record for names that are too long for ustar or not ASCII, and for
// files of 8 GB and more.
interface TarFile {
  path: string
  size: number
  executable?: boolean
}

const blockBytes = 512
const nameBytes = 100
const prefixBytes = 155
const ustarBytesAtMost = 8 * 1024 ** 3 - 1
const utf8 = new TextEncoder()

/** The two empty blocks that end an archive. */
export const tarEnd = (): Uint8Array<ArrayBuffer> => new Uint8Array(2 * blockBytes)

/** The zeros that fill the last block of a file of `size` bytes. */
export const tarPadding = (size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array((blockBytes - (size % blockBytes)) % blockBytes)

/** The header of a regular file. It has no owner and no time, so that the same site gives the same archive. */
export function tarHeader({ path, size, executable = false }: TarFile): Uint8Array<ArrayBuffer> {
  const mode = executable ? 0o755 : 0o644
  const split = splitName(path)
  const fits = size <= ustarBytesAtMost
  if (split && fits) return headerBlock({ ...split, size, mode, type: '0' })
  const records = joinBytes([
    ...(split ? [] : [paxRecord('path', path)]),
    ...(fits ? [] : [paxRecord('size', `${size}`)]),
  ])
  const named = split ?? { name: asciiEnd(path), prefix: '' }
  return joinBytes([
    headerBlock({ name: 'PaxHeader', prefix: '', size: records.length, mode: 0o644, type: 'x' }),
    records,
    tarPadding(records.length),
    headerBlock({ ...named, size: fits ? size : 0, mode, type: '0' }),
  ])
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Fits a name into ustar's two fields, cut at a slash. `undefined` if it does not fit. */
function splitName(path: string): { name: string; prefix: string } | undefined {
  if (!/^[\x20-\x7e]+$/.test(path)) return undefined
  if (path.length <= nameBytes) return { name: path, prefix: '' }
  const slash = path.indexOf('/', path.length - nameBytes - 1)
  if (slash < 1 || slash > prefixBytes) return undefined
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
}

/** The name that a reader without PAX sees. */
const asciiEnd = (path: string): string => path.replace(/[^\x20-\x7e]/g, '_').slice(-nameBytes)

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Uint8Array<ArrayBuffer> {
  const rest = utf8.encode(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length
  return joinBytes([utf8.encode(`${length}`), rest])
}

interface HeaderFields {
  name: string
  prefix: string
  size: number
  mode: number
  type: '0' | 'x'
}

function headerBlock({ name, prefix, size, mode, type }: HeaderFields): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(blockBytes)
  const write = (text: string, offset: number) => utf8.encodeInto(text, bytes.subarray(offset))
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  write(name, 0)
  write(octal(mode, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100)
  // The checksum is taken with its own field as spaces.
  write(' '.repeat(8), 148)
  write(type, 156)
  write('ustar\x0000', 257)
  write(prefix, 345)
  const checksum = bytes.reduce((sum, byte) => sum + byte, 0)
  write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
