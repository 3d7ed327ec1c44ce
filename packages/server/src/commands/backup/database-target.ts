// The database that a restore fills: a file of the data directory, or a PostgreSQL database.
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { Settings } from '../../config.ts'
import { dataPaths } from '../../data-directory.ts'
import { syncDirectory } from '../../lib/sync-directory.ts'

export interface DatabaseTarget {
  requireEmpty(): Promise<void>
  /** Whether the database holds the platform with this id. */
  holds(platform: string | undefined): Promise<boolean>
  /** Takes the rows of a database file, all or none. They are durable then. The file may be moved away. */
  fill(file: string): Promise<void>
  close(): Promise<void>
}

export async function openDatabaseTarget(settings: Settings): Promise<DatabaseTarget> {
  if (!settings.databaseUrl) return fileTarget(settings)
  const { PostgresTarget } = await import('../../store/postgres/fill.ts')
  return await PostgresTarget.open(settings.databaseUrl.reveal())
}

function fileTarget(settings: Settings): DatabaseTarget {
  const { databaseFile } = dataPaths(settings)
  return {
    // The restore looks for all parts of a platform in the data directory, also for this file.
    requireEmpty: async () => undefined,
    holds: async () => existsSync(databaseFile),
    async fill(file) {
      await rename(file, databaseFile)
      syncDirectory(settings.dataDir)
    },
    close: async () => undefined,
  }
}
