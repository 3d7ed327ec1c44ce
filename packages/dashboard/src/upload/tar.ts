// The format tar: ustar, with a PAX record before names that ustar cannot hold.
const block = 512
const utf8 = new TextEncoder()

const padding = (size: number) => new Uint8Array((block - (size % block)) % block)

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

interface Fields {
  name: string
  prefix?: string
  size: number
  mtime: number
  type: '0' | 'x'
}

function header({ name, prefix = '', size, mtime, type }: Fields): Uint8Array {
  const bytes = new Uint8Array(block)
  const put = (offset: number, text: string) => bytes.set(utf8.encode(text), offset)
  put(0, name)
  put(100, octal(0o644, 8))
  put(108, octal(0, 8))
  put(116, octal(0, 8))
  put(124, octal(size, 12))
  put(136, octal(mtime, 12))
  put(148, '        ')
  put(156, type)
  put(257, 'ustar\x0000')
  put(345, prefix)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `)
  return bytes
}

/** Splits a path over ustar's two name fields, or says that it does not fit. */
function split(path: string): { name: string; prefix: string } | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is exactly this range
  if (!/^[\x00-\x7f]*$/.test(path)) return undefined
  if (path.length <= 100) return { name: path, prefix: '' }
  const slash = path.indexOf('/', path.length - 101)
  if (slash < 1 || slash > 155 || slash === path.length - 1) return undefined
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
}

/** A PAX record is "<length> path=<path>\n", where the length counts its own digits too. */
function paxRecord(path: string): Uint8Array {
  const body = utf8.encode(` path=${path}\n`).length
  let length = body + 1
  while (String(length).length + body !== length) length = String(length).length + body
  return utf8.encode(`${length} path=${path}\n`)
}

function heads(path: string, size: number, mtime: number): Uint8Array[] {
  const names = split(path)
  if (names) return [header({ ...names, size, mtime, type: '0' })]
  const record = paxRecord(path)
  return [
    header({ name: 'pax', size: record.length, mtime, type: 'x' }),
    record,
    padding(record.length),
    header({ name: 'file', size, mtime, type: '0' }),
  ]
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A file as it stands in an archive, in one piece. The time is in seconds. */
export const tarEntry = (path: string, content: Uint8Array, mtime: number): Uint8Array<ArrayBuffer> =>
  joined([...heads(path, content.length, mtime), content, padding(content.length)])

/** What an archive ends with. */
export const tarEnd = (): Uint8Array<ArrayBuffer> => new Uint8Array(2 * block)
