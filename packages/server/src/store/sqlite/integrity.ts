// SQLite's own check of a database file: its pages, its indexes and its constraints.
import { openReader } from './open.ts'

const problemsAtMost = 5

/** What is wrong, in SQLite's words. Empty if the file is whole. */
export function problemsOfDatabase(file: string): string[] {
  const connection = openReader(file)
  try {
    const rows = connection.prepare(`pragma integrity_check(${problemsAtMost})`).all()
    const lines = (rows as { integrity_check: string }[]).map(row => row.integrity_check)
    return lines[0] === 'ok' ? [] : lines
  } catch (error) {
    return [(error as Error).message]
  } finally {
    connection.close()
  }
}
