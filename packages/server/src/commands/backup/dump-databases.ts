// Dumps the databases of projects into a backup: `databases/<name>.dump`, in the format of pg_dump.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { openDatabases } from '../../compose/app-databases.ts'
import { openStore } from '../../compose/ports.ts'
import type { Settings } from '../../config.ts'
import { openDatabase } from '../../core/databases/password.ts'
import type { DataDirectory } from '../../data-directory.ts'
import { createLog } from '../../log.ts'
import type { AppDatabase, Databases } from '../../ports/databases/port.ts'
import { listDatabases } from '../../store/databases/databases.ts'
import { hasLatest } from '../../store/migrate.ts'
import { dumpFile } from './format.ts'

/** Removed databases are left out, and those of previews. What could not be dumped is in `damaged`. Returns the names in the backup. */
export async function dumpDatabases(
  settings: Settings,
  data: DataDirectory,
  { staged, damaged }: { staged: string; damaged: Map<string, string> },
): Promise<string[]> {
  const store = await openStore(settings, data, createLog(settings))
  try {
    // A platform of an older version that was not started since has no databases.
    if (!(await hasLatest(store.db, store.engine))) return []
    const rows = (await listDatabases(store.db)).filter(row => row.ready_at !== null && row.branch === '')
    if (rows.length === 0) return []
    await mkdir(path.join(staged, 'databases'), { recursive: true })
    const server = await openDatabases(settings, data)
    const names: string[] = []
    for (const row of rows) {
      const name = dumpFile(row.id)
      try {
        if (!server) throw new Error('the database server of the projects is not set up here')
        await writeDump(server, openDatabase(data, row), path.join(staged, name))
        names.push(name)
      } catch (error) {
        damaged.set(name, (error as Error).message)
      }
    }
    await server?.close({ keepsServer: 'as it was' })
    return names
  } finally {
    await store.close()
  }
}

async function writeDump(server: Databases, database: AppDatabase, file: string): Promise<void> {
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  await once(output, 'open')
  const written = finished(output)
  written.catch(() => undefined)
  try {
    await server.dump(database, output)
    await written
  } catch (error) {
    output.destroy()
    await rm(file, { force: true })
    throw error
  }
}
