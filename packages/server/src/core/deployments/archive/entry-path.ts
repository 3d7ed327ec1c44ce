// Which paths of an archive may become files of a site.
import { isUtf8 } from 'node:buffer'
import { Fault } from '../../../lib/fault.ts'

const maxPathBytes = 1024

interface EntryPath {
  raw: Buffer
  segments: string[]
  /** Below the site's root, without `.` and empty segments. */
  normal: string
}

interface Rule {
  broken(path: EntryPath): boolean
  /** Completes "The archive entry '…' …". */
  says: string
}

const rules: Rule[] = [
  { broken: path => path.raw.includes(0), says: 'has a NUL byte in its path' },
  { broken: path => !isUtf8(path.raw), says: 'has a path that is not UTF-8' },
  { broken: path => path.raw.includes('\\'), says: 'has a backslash in its path' },
  { broken: path => path.raw[0] === 0x2f, says: 'has an absolute path' },
  { broken: path => path.segments.includes('..'), says: "has a '..' segment in its path" },
  { broken: path => path.normal === '', says: 'has an empty path' },
  {
    broken: path => Buffer.byteLength(path.normal) > maxPathBytes,
    says: `has a path of more than ${maxPathBytes} bytes`,
  },
]

/** The path that the file of an entry gets. */
export function entryPath(raw: Buffer): string {
  const segments = raw.toString().split('/')
  const normal = segments.filter(segment => segment !== '' && segment !== '.').join('/')
  const broken = rules.find(rule => rule.broken({ raw, segments, normal }))
  if (broken === undefined) return normal
  throw new Fault(
    'invalid_archive',
    `The archive entry '${printable(raw)}' ${broken.says}. Pack the files with plain paths below the site's root.`,
  )
}

/** For messages: short, and without characters that could play tricks in a terminal or a log. */
export function printable(raw: Buffer): string {
  const text = raw
    .subarray(0, 512)
    .toString()
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
