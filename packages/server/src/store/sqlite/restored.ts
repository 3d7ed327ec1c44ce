// Checks a database file that came from a backup, and brings it to the newest schema.
import { randomUUID } from 'node:crypto'
import { Fault } from '../../lib/fault.ts'
import { migrateToLatest, requireKnownMigrations } from '../migrate.ts'
import { platformId } from '../platform/platform-id.ts'
import { executedMigrations } from './file-tables.ts'
import { type Connection, openReader } from './open.ts'
import { openSingleFile, queriesOn } from './single-file.ts'

/** Returns the id of the platform. A platform that was never started gets one. */
export async function prepareRestored(file: string): Promise<string> {
  return using(file, openSingleFile, async connection => {
    const [found] = connection.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
    if (found?.quick_check !== 'ok') throw damaged()
    requireKnownMigrations(executedMigrations(connection))
    const db = queriesOn(connection)
    await migrateToLatest(db, 'sqlite')
    // A backup has repositories as directories. If they belong on a storage, the first start brings them there.
    for (const table of ['repository_states', 'repository_refs', 'repository_packs'] as const)
      await db.deleteFrom(table).execute()
    return platformId(db, randomUUID)
  })
}

/** The id of the platform in a file that a restore prepared. `undefined` if the restore was interrupted before. */
export async function preparedPlatform(file: string): Promise<string | undefined> {
  try {
    return await using(file, openReader, async connection => {
      const row = connection.prepare('select id from platform').get()
      return (row as { id: string } | undefined)?.id
    })
  } catch {
    return undefined
  }
}

async function using<T>(
  file: string,
  open: (file: string) => Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    const connection = open(file)
    try {
      return await work(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (error instanceof Fault || isFull(error)) throw error
    throw damaged(error)
  }
}

/** The disk is full. The driver gives its own error, `statements` one with a name. */
const isFull = (error: unknown): boolean => {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === 'SQLITE_FULL' || errcode === 13
}

const damaged = (cause?: unknown): Fault =>
  new Fault('invalid_archive', 'The database of the backup is damaged. Restore another backup.', { cause })
