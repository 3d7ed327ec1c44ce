// Tells whether something was written to the database, by this process or by another one.
import type { Connection } from './open.ts'

/**
 * Returns a function whose result changes whenever another connection than the reader has committed. Each call looks at the
 * file (about 3 µs): a program such as `svcd users` may commit between any two requests, even in one turn of the event loop.
 */
export function dataVersion(reader: Connection): () => number {
  const version = reader.prepare('pragma data_version')
  return () => version.get()?.data_version as number
}
