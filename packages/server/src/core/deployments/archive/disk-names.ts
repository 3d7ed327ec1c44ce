// Checks the paths of a server app, whose files are written to disk. Paths that a file system cannot store are refused at
// upload, not when the app starts.
import { formatWhole } from '@svc/contract/whole-number'
import { Fault } from '../../../lib/fault.ts'
import { printable } from './entry-path.ts'

/** The limit of ext4, XFS, APFS and others. */
const longestName = 255
/** Ten thousand files with deep paths could otherwise become millions of directories. */
const mostDirectories = 20_000

/** `scratchDirs` are the directories that the app writes to: no file may be in their place. */
export function checkDiskNames(paths: Iterable<string>, scratchDirs: readonly string[]): void {
  const sorted = [...paths, ...scratchDirs.map(dir => `${dir}/`)].sort(byParts)
  let directories = 0
  let before = ''
  for (const path of sorted) {
    const long = path.split('/').find(part => Buffer.byteLength(part) > longestName)
    if (long !== undefined)
      throw refused(path, `has a name of ${Buffer.byteLength(long)} bytes, and a disk takes ${longestName}`)
    // In this order a path below a file comes right after the file.
    if (before !== '' && path.startsWith(`${before}/`))
      throw refused(before, `is a file, and '${printable(Buffer.from(path))}' needs a directory of that name`)
    directories += newDirectories(path, before)
    if (directories > mostDirectories)
      throw new Fault(
        'invalid_archive',
        `The files of a server app may lie in at most ${formatWhole(mostDirectories)} directories.`,
      )
    before = path
  }
}

/** Compares the separator as the lowest character, so that a directory's content follows its name at once. */
function byParts(a: string, b: string): number {
  const [first, second] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')]
  if (first === second) return 0
  return first < second ? -1 : 1
}

/** How many directories of a path are not also those of the path before it. */
function newDirectories(path: string, before: string): number {
  const [parts, others] = [path.split('/').slice(0, -1), before.split('/').slice(0, -1)]
  const same = parts.findIndex((part, i) => part !== others[i])
  return same === -1 ? 0 : parts.length - same
}

const refused = (path: string, why: string): Fault =>
  new Fault(
    'invalid_archive',
    `A server app runs from a disk, and '${printable(Buffer.from(path))}' cannot be written there: it ${why}. Rename it and deploy again.`,
  )
