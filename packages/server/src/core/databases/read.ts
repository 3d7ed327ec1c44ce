// Lets admins look at the tables of a project's database, and at their rows. It only reads, as the role of the database.
import type { DatabaseTable, TableRows } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import {
  type AppDatabase,
  type Databases,
  ReadRefused,
  type RowsAsked,
  SignInRefused,
} from '../../ports/databases/port.ts'
import { lockProject } from '../../store/projects/projects.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { DatabaseParts } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { startedServer } from './databases.ts'
import { openRow } from './open-row.ts'
import { enter } from './open-tunnels.ts'
import { openDatabase } from './password.ts'

type Branch = { branch?: string | undefined }

export async function listTables(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  { branch }: Branch,
): Promise<{ tables: DatabaseTable[]; more: boolean }> {
  return await reading(platform, caller, project, branch, (server, database) => server.tables(database))
}

/** It is in the audit log, as other ways to the data are. */
export async function readTable(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  { branch, ...asked }: RowsAsked & Branch,
): Promise<TableRows> {
  return await reading(platform, caller, project, branch, async (server, database) => {
    await recordRead(platform, caller, project, { ...asked, branch })
    const found = await server.rows(database, asked)
    if (!found)
      throw new Fault('not_found', "The database has no such table. 'svc db tables' lists those that it has.")
    const { columns, rows, more, moreColumns } = found
    return {
      columns: columns.map(({ name, type, isKey }) => ({ name, type, key: isKey })),
      more_columns: moreColumns,
      rows,
      more,
    }
  })
}

/** Counts with the connections from outside. */
async function reading<T>(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  branch: string | undefined,
  work: (server: Databases, database: AppDatabase) => Promise<T>,
): Promise<T> {
  const row = await openRow(platform, project, branch)
  const leave = enter({ projectId: project.id, accountId: caller.account.id })
  try {
    return await work(await startedServer(platform), openDatabase(platform, row))
  } catch (error) {
    throw inWords(error)
  } finally {
    leave()
  }
}

function inWords(error: unknown): unknown {
  if (error instanceof SignInRefused)
    return new Fault('unavailable', `The database lets nobody in now: ${error.message}`, { cause: error })
  if (error instanceof ReadRefused)
    return new Fault('not_readable', `This cannot be read: ${error.message}. 'svc db shell' shows more.`)
  return error
}

async function recordRead(
  platform: DatabaseParts,
  caller: Caller,
  project: ProjectScope,
  { schema, name, branch }: RowsAsked & Branch,
): Promise<void> {
  await platform.store.transact(async tx => {
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const details = { table: `${schema}.${name}`, ...(branch !== undefined && { branch }) }
    await audit(platform, tx, caller, { action: 'database.read', project, details })
  })
}
