// What the engines' errors mean.

/** Of PostgreSQL and of SQLite. */
const foreignKeyCodes: unknown[] = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']

/** A row was to point at one that is gone, deleted since it was read. */
export const isMissingReference = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && foreignKeyCodes.includes(error.code)
