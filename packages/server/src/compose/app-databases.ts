// Opens the PostgreSQL server for the databases of projects, and looks after them.
import { createReadStream, existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { SettingError, type Settings } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import { makeMissing } from '../core/databases/keeping.ts'
import { openDatabase } from '../core/databases/password.ts'
import { type DataDirectory, lockRecovery } from '../data-directory.ts'
import { startDatabaseArchiver, startDatabaseKeeper } from '../jobs/databases.ts'
import type { ArchiveSettings } from '../ports/databases/own/archive/keeper.ts'
import type { Machine } from '../ports/databases/own/machine.ts'
import type { Databases } from '../ports/databases/port.ts'
import { hasDatabases } from '../store/databases/databases.ts'
import type { AppDatabaseRow } from '../store/databases/rows.ts'

/** Where the sandbox of an app shows the directory of the server's socket. */
const socketAt = '/run/postgresql'

/** `undefined` if projects cannot have databases here. Nothing is started. */
export async function openDatabases(
  settings: Settings,
  data: Pick<DataDirectory, 'postgresDir'>,
): Promise<Databases | undefined> {
  const { appsPostgresUrl: url, appsPostgres, postgresPrograms: programs } = settings
  if (appsPostgres === 'off') return undefined
  const connections = settings.appsPostgresConnections
  if (url) {
    const { OperatorsDatabases } = await import('../ports/databases/operators-server.ts')
    const isShown = await hasSandbox(settings)
    const at = (dir: string) => (isShown ? socketAt : dir)
    return new OperatorsDatabases({ url: url.reveal(), connections, programs, socketAt: at })
  }
  if (!mayStartServer(settings)) return undefined
  const { findPrograms } = await import('../ports/databases/own/programs.ts')
  const { OwnDatabases } = await import('../ports/databases/own-server.ts')
  if (!findPrograms('', programs)) return undefined
  const socketDir = path.join(data.postgresDir, 'socket')
  const host = (await hasSandbox(settings)) ? socketAt : socketDir
  return new OwnDatabases(
    { dir: data.postgresDir, programs, connections, machine: await thisMachine() },
    { host, socketDir },
    archiveOf(settings),
  )
}

/** `undefined` if the log of the databases is not archived. */
function archiveOf(settings: Settings): ArchiveSettings | undefined {
  const {
    appsPostgresArchive: folder,
    appsPostgresArchiveDays: days,
    appsPostgresArchiveBytes: bytes,
  } = settings
  if (folder === undefined) return undefined
  const inside = path.relative(settings.dataDir, folder)
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside)))
    throw new SettingError(
      'SVCD_APPS_POSTGRES_ARCHIVE',
      'is in the data directory, with which it would be lost. Name a folder on another disk',
    )
  return { folder, days, bytes }
}

/** For svcd's own server. */
export async function thisMachine(): Promise<Machine> {
  const { findSandbox, parentsOf, sandboxAdvice, systemSandbox } = await import(
    '../ports/app-runtime/process/sandbox.ts'
  )
  const { giveTo, projectUser: userOf } = await import('../ports/app-runtime/project-user.ts')
  const { programAt } = await import('../ports/app-runtime/programs.ts')
  const hasSandbox = async () => process.platform === 'linux' && (await findSandbox()) !== undefined
  return { hasSandbox, parentsOf, sandboxAdvice, systemSandbox, programAt, userOf, giveTo }
}

/** Other machines do not reach the socket of this one. */
const mayStartServer = ({ appsPostgres, databaseUrl, dockerHost, runner }: Settings): boolean => {
  const appsAreHere = runner === 'docker' ? dockerHost.startsWith('unix:') : runner !== 'swarm'
  return appsAreHere && (appsPostgres === 'on' || databaseUrl === undefined)
}

/** Apps without a sandbox see the machine's own directories. */
async function hasSandbox({ runner }: Settings): Promise<boolean> {
  if (runner !== 'process' && runner !== 'auto') return true
  return await (await thisMachine()).hasSandbox()
}

/** Returns the function that stops it. `keepsServer`: another svcd takes the server over. */
export async function keepDatabaseServer(
  platform: Platform,
  data: DataDirectory,
  log: Logger,
): Promise<(options: { keepsServer: boolean }) => Promise<void>> {
  const { databases } = platform
  if (!databases) return async () => undefined
  if (await hasDatabases(platform.store.db)) await bringUp(platform, databases, data, log)
  await endKilledRecovery(databases, data).catch(err =>
    log.error({ err }, 'could not remove what a recovery of databases has left'),
  )
  const keeper = startDatabaseKeeper(platform, log)
  const archiver = databases.archiveLog && startDatabaseArchiver(platform, databases.archiveLog, log)
  return async options => {
    await archiver?.stop()
    await keeper.stop()
    await databases.close(options)
  }
}

/** Unless one is under way. */
async function endKilledRecovery({ endRecovery }: Databases, data: DataDirectory): Promise<void> {
  if (!endRecovery || !existsSync(path.join(data.postgresDir, 'recovery'))) return
  const unlock = lockRecovery(data)
  try {
    await endRecovery()
  } finally {
    unlock()
  }
}

/** Before the first app starts. If it fails, the platform goes on without, and the keeper tries again. */
async function bringUp(
  platform: Platform,
  databases: Databases,
  { databaseDumpsDir: dir }: DataDirectory,
  log: Logger,
): Promise<void> {
  try {
    const fill = async (row: AppDatabaseRow) => {
      const file = path.join(dir, `${row.id}.dump`)
      const dumps: string[] = await readdir(dir).catch(() => [])
      if (!dumps.includes(path.basename(file))) return
      await databases.restore(openDatabase(platform, row), createReadStream(file))
      await rm(file)
      log.info({ database: row.id }, 'restored a database of a project from the backup')
    }
    await makeMissing(platform, fill, (err, { id }) =>
      log.error(
        { err, database: id },
        'could not restore a database of a project; its dump is kept, and the next start tries again',
      ),
    )
  } catch (err) {
    log.error({ err }, 'the databases of the projects could not be started')
  }
}
