// Tar headers: plain ustar, with a PAX record for names that are too long for it or not ASCII.
export interface Entry {
  path: string
  size: number
  executable: boolean
}

const BLOCK = 512
const NAME = 100
const PREFIX = 155

/** Two empty blocks end an archive. */
export const endOfArchive = Buffer.alloc(2 * BLOCK)

/** The header of a regular file. Owner and time are left out, so that the same site gives the same archive. */
export function header({ path, size, executable }: Entry): Buffer {
  const mode = executable ? 0o755 : 0o644
  const split = splitName(path)
  if (split) return block({ ...split, size, mode, type: '0' })

  const record = paxRecord('path', path)
  const fallback = Buffer.from(path)
    .subarray(-NAME)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '_')
  return Buffer.concat([
    block({ name: 'PaxHeader', prefix: '', size: record.length, mode: 0o644, type: 'x' }),
    record,
    padding(record.length),
    block({ name: fallback, prefix: '', size, mode, type: '0' }),
  ])
}

/** The zeros that fill the last block of a file of `size` bytes. */
export function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

/** Fits a name into ustar's two fields, cut at a slash; undefined where it does not fit. */
function splitName(path: string): { name: string; prefix: string } | undefined {
  if (!/^[\x20-\x7e]+$/.test(path)) return undefined
  if (path.length <= NAME) return { name: path, prefix: '' }
  const slash = path.indexOf('/', path.length - NAME - 1)
  if (slash < 1 || slash > PREFIX) return undefined
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length
  return Buffer.concat([Buffer.from(`${length}`), rest])
}

interface Fields {
  name: string
  prefix: string
  size: number
  mode: number
  type: '0' | 'x'
}

function block({ name, prefix, size, mode, type }: Fields): Buffer {
  const bytes = Buffer.alloc(BLOCK)
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`
  bytes.write(name, 0, NAME, 'latin1')
  bytes.write(octal(mode, 8), 100)
  bytes.write(octal(0, 8), 108)
  bytes.write(octal(0, 8), 116)
  bytes.write(octal(size, 12), 124)
  bytes.write(octal(0, 12), 136)
  bytes.write(' '.repeat(8), 148)
  bytes.write(type, 156)
  bytes.write('ustar\x0000', 257)
  bytes.write(prefix, 345, PREFIX, 'latin1')
  // The checksum is taken with its own field as spaces.
  const checksum = bytes.reduce((sum, byte) => sum + byte, 0)
  bytes.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
