// Makes valid and malformed tar archives for tests.

export interface TarEntry {
  path: string | Buffer
  content?: string | Buffer
  type?: string
  /** Replaces the length of the content in the header. A Buffer is written as it is. */
  size?: number | Buffer
  prefix?: string
  format?: 'v7' | 'ustar' | 'gnu'
  checksum?: 'unsigned' | 'signed' | 'wrong'
}

const magics = { v7: '', ustar: 'ustar\x0000', gnu: 'ustar  \0' }

export const endBlocks = Buffer.alloc(1024)

/** Entries and raw blocks, followed by the end blocks. */
export function makeTar(parts: (TarEntry | Buffer)[]): Buffer {
  return Buffer.concat([...parts.map(part => (Buffer.isBuffer(part) ? part : entry(part))), endBlocks])
}

export function entry(options: TarEntry): Buffer {
  const content = Buffer.from(options.content ?? '')
  return Buffer.concat([header(options, content.length), content, Buffer.alloc(-content.length & 511)])
}

export function header(options: TarEntry, contentBytes = 0): Buffer {
  const { path, type = '0', size = contentBytes, prefix = '', format = 'ustar' } = options
  const block = Buffer.alloc(512)
  Buffer.from(path).copy(block, 0, 0, 100)
  block.write('0000644\x000000000\x000000000\0', 100, 'latin1')
  if (Buffer.isBuffer(size)) size.copy(block, 124)
  else block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  block.write('00000000000\0', 136, 'latin1')
  block.write(type, 156, 'latin1')
  block.write(magics[format], 257, 'latin1')
  block.write(prefix, 345)
  block.write(`${checksum(block, options.checksum).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

function checksum(block: Buffer, kind: TarEntry['checksum'] = 'unsigned'): number {
  const bytes = kind === 'signed' ? Array.from(block, byte => (byte << 24) >> 24) : [...block]
  const sum = bytes.reduce((total, byte) => total + byte, 8 * 32)
  return kind === 'wrong' ? sum + 1 : sum
}

/** A PAX header for the next entry, or for all later entries with type `g`. */
export function pax(records: Record<string, string | Buffer>, type = 'x'): Buffer {
  const body = Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value)))
  return entry({ path: 'PaxHeaders/x', type, content: body })
}

/** The length includes its own digits. */
function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

/** GNU's way of giving the next entry a long name (`L`) or link target (`K`). */
export function gnuLong(type: 'L' | 'K', name: string): Buffer {
  return entry({ path: '././@LongLink', type, content: `${name}\0`, format: 'gnu' })
}

/** GNU's format for numbers that are too large for octal digits. */
export function base256(value: bigint): Buffer {
  const field = Buffer.alloc(12)
  for (let i = 11, rest = value; i >= 0; i--, rest >>= 8n) field[i] = Number(rest & 0xffn)
  field[0]! |= 0x80
  return field
}
