// A failure that the user can do something about. It is shown as one message, without a stack trace.
export class Failure extends Error {
  /** A second line with a suggestion. */
  readonly hint: string | undefined

  constructor(message: string, options: { cause?: unknown; hint?: string | undefined } = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.hint = options.hint
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EBUSY: 'it is in use, or mounted from another place',
  EMFILE: 'too many open files',
  EEXIST: 'there is a file in its place',
}

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Turns an error of the file system into words: `Cannot read svc.json: permission denied.` */
export function fileFailure(doing: string, path: string, error: unknown): Failure {
  const code = errorCode(error)
  // An error that is not from the operating system is a bug, and keeps its stack trace.
  if (code === undefined || !('syscall' in (error as object))) throw error
  // Node replaces bytes of a name that are not UTF-8 by U+FFFD, and then does not find the file.
  if (code === 'ENOENT' && path.includes('\ufffd'))
    return new Failure(`Cannot ${doing} ${path}: its name is not valid UTF-8. Rename it.`, { cause: error })
  return new Failure(`Cannot ${doing} ${path}: ${reasons[code] ?? code}.`, { cause: error })
}
