// Brings the database of a project back as it was at a time, from the archive of the server. For the operator.

import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { RemovedDatabase } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { AppDatabase } from '../../ports/databases/port.ts'
import { findDatabase, findRemovedDatabase } from '../../store/databases/databases.ts'
import type { AppDatabaseRow } from '../../store/databases/rows.ts'
import { findProject } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import type { DatabaseParts } from '../base/platform.ts'
import { loadDump } from './load.ts'
import { openDatabase } from './password.ts'

type DumpAt = (database: AppDatabase, at: number, output: Writable) => Promise<void>

interface Asked {
  project: string
  at: number
  /** Where the dump goes. */
  file: string
  dumpAt: DumpAt
}

/** Writes the dump. */
export async function dumpProjectAt(
  platform: DatabaseParts,
  { project: name, at, file, dumpAt }: Asked,
): Promise<void> {
  if (at > platform.clock.now()) throw new Fault('invalid_request', 'The time is in the future.')
  const project = await requireProject(platform.store.db, name)
  const row = await databaseAt(platform.store.db, project.id, at)
  if (!row) throw new Fault('not_found', `${name} had no database at that time that is still known.`)
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  await once(output, 'open')
  const written = finished(output)
  written.catch(() => undefined)
  try {
    await dumpAt(openDatabase(platform, row), at, output)
    await written
  } catch (error) {
    output.destroy()
    await rm(file, { force: true })
    throw error
  }
}

/** As `svc db restore` does it: what the database holds now is kept for some days. */
export async function loadProjectDump(
  platform: DatabaseParts,
  { project: name, file }: Pick<Asked, 'project' | 'file'>,
): Promise<{ removed: RemovedDatabase; restarting?: boolean }> {
  const project = await requireProject(platform.store.db, name)
  return await loadDump(platform, { ip: '' }, project, {
    confirm: project.name,
    dump: createReadStream(file),
    gone: new AbortController().signal,
    confirmRights: async () => undefined,
  })
}

async function requireProject(db: Db, name: string) {
  const project = await findProject(db, name)
  if (!project) throw new Fault('not_found', `There is no project '${name}'.`)
  return { ...project, role: 'owner' as const }
}

/** A restore replaces the database by one of another name. The one before is known for as long as it is kept. */
async function databaseAt(db: Db, projectId: string, at: number): Promise<AppDatabaseRow | undefined> {
  const existed = (row: AppDatabaseRow | undefined) => (row && row.created_at <= at ? row : undefined)
  const current = existed(await findDatabase(db, projectId))
  if (current && (current.ready_at ?? at) <= at) return current
  return existed(await findRemovedDatabase(db, projectId)) ?? current
}
