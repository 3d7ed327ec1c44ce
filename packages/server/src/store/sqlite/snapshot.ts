// Copies a SQLite database to another file as it is at one moment, while other processes go on writing to it.
import { openReader } from './open.ts'

/** `copy` must not exist. */
export function snapshotDatabase(file: string, copy: string): void {
  const connection = openReader(file)
  try {
    connection.prepare('vacuum into ?').run(copy)
  } finally {
    connection.close()
  }
}
