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

/** The deployments in a copy of the database that must have files in the storage. */
export function storedIn(copy: string): string[] {
  const connection = openReader(copy)
  try {
    const rows = connection
      .prepare("select id from deployments where status in ('live', 'superseded', 'branch')")
      .all()
    return (rows as { id: string }[]).map(({ id }) => id)
  } finally {
    connection.close()
  }
}
