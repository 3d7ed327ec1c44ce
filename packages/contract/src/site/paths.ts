// The rule for paths within a site. Clients check files by it before an upload, the server checks archives and links.

/** Limits the size of paths in indexes, in messages and on a disk. */
const longestPathBytes = 1024

const utf8 = new TextEncoder()

/** A path without `.` and empty segments: `./a//b` is `a/b`. */
export const normalPath = (path: string): string =>
  path
    .split('/')
    .filter(segment => segment !== '' && segment !== '.')
    .join('/')

interface PathRule {
  isBroken(path: string): boolean
  /** The text after "The file '…' " in a message. */
  says: string
}

const textRules: readonly PathRule[] = [
  { isBroken: path => path.includes('\0'), says: 'has a NUL byte in its path' },
  // A lone surrogate has no UTF-8 bytes, so no file can have it in its name.
  { isBroken: path => /\p{Surrogate}/u.test(path), says: 'has a path that is not valid Unicode' },
  { isBroken: path => path.includes('\\'), says: 'has a backslash in its path' },
  {
    isBroken: path => utf8.encode(path).length > longestPathBytes,
    says: `has a path of more than ${longestPathBytes} bytes`,
  },
]

const placeRules: readonly PathRule[] = [
  { isBroken: path => path.startsWith('/'), says: 'has an absolute path' },
  { isBroken: path => path.split('/').includes('..'), says: "has a '..' segment in its path" },
  { isBroken: path => normalPath(path) === '', says: 'has an empty path' },
]

/** Why no file of a site can have this path, whichever way it is spelled. `undefined` if one can. */
export function pathProblem(path: string): string | undefined {
  return placeRules.find(rule => rule.isBroken(path))?.says ?? textProblem(normalPath(path))
}

/** Says which characters make a path invalid. This applies to files and to the targets of links. */
export const textProblem = (path: string): string | undefined =>
  textRules.find(rule => rule.isBroken(path))?.says
