// What the engines' errors mean.

/** Of PostgreSQL and of SQLite. */
const foreignKeyCodes: unknown[] = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']

/** A row was to point at one that is gone, deleted since it was read. */
export const isMissingReference = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && foreignKeyCodes.includes(error.code)

/** The disk under the database has no room (PostgreSQL's class 53 includes its own limits). */
const fullCodes = /^(SQLITE_FULL|53\d\d\d|ENOSPC)$/
/** The database cannot be read, is not there, or is going away. */
const awayCodes =
  /^(SQLITE_(IOERR|CANTOPEN|BUSY)\w*|08\d\d\d|57P\d\d|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND)$/

/** What keeps the database from working at all, whatever it was asked. `undefined` if it is something else. */
export function troubleOf(error: unknown): 'full' | 'away' | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (fullCodes.test(code)) return 'full'
  return awayCodes.test(code) ? 'away' : undefined
}
