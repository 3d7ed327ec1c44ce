// SQLite databases for tests: copies of one file that the test run migrated, and no wait for the disk.
import { copyFile } from 'node:fs/promises'
import { inject } from 'vitest'
import { migrateToLatest } from '../store/migrate.ts'
import { durability } from '../store/sqlite/durability.ts'
import { openSingleFile, queriesOn } from '../store/sqlite/single-file.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database file with the newest schema. */
    migratedSqlite: string
  }
}

export async function makeMigratedFile(file: string): Promise<void> {
  const connection = openSingleFile(file)
  await migrateToLatest(queriesOn(connection), 'sqlite')
  connection.close()
}

/** Writes a database with the newest schema. It is a copy, because all the migrations take longer. */
export const migratedSqlite = (file: string): Promise<void> => copyFile(inject('migratedSqlite'), file)

/** For this process. Tests of crashes start svcd, which waits for the disk. */
export function commitWithoutDisk(): void {
  durability.synchronous = 'OFF'
}
