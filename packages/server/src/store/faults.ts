// Classifies the errors of the database engines.

/** The codes of PostgreSQL and SQLite. */
const foreignKeyCodes: unknown[] = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']
const duplicateCodes: unknown[] = ['23505', 'SQLITE_CONSTRAINT_UNIQUE']

/** A row refers to another that was deleted since it was read. */
export const isMissingReference = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && foreignKeyCodes.includes(error.code)

/** A value that must be unique is there already, written by a transaction at the same time. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && duplicateCodes.includes(error.code)

/** The disk of the database is full (class 53 of PostgreSQL includes its own limits). */
const fullCodes = /^(SQLITE_FULL|53\d\d\d|ENOSPC)$/
/** The database cannot be read, is not there, is going away, or ended a statement that ran or waited too long. */
const awayCodes =
  /^(SQLITE_(IOERR|CANTOPEN|BUSY)\w*|DATABASE_AWAY|08\d\d\d|25006|57P\d\d|57014|55P03|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND)$/

/** Whether the error is a failure of the whole database. `undefined` if it concerns only the query. */
export function troubleOf(error: unknown): 'full' | 'away' | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (fullCodes.test(code)) return 'full'
  return awayCodes.test(code) ? 'away' : undefined
}

/** Deadlocks and serialization failures. PostgreSQL has undone the transaction, and asks its clients to run it again. */
const conflictCodes: unknown[] = ['40P01', '40001']

export const isConflict = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && conflictCodes.includes(error.code)
