// Reads what the dashboard has changed, before the platform starts.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from 'pino'
import { SettingError, type Settings, withStored } from '../config.ts'
import { openSettings } from '../core/platform/stored-settings.ts'
import { dataPaths } from '../data-directory.ts'
import { requireAccess } from '../data-owner.ts'
import { keySource } from '../key-file.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { Keyring } from '../lib/seal.ts'
import { createLog } from '../log.ts'
import { troubleOf } from '../store/faults.ts'
import { settingsBeforeStart, settingsInFile } from '../store/platform/operator-settings.ts'
import type { OperatorSettingRow } from '../store/tables.ts'
import { openStore } from './ports.ts'

/** The caller has the rights of the owner of the data directory. Settings that a lost key sealed are left out. */
export async function withDashboard(settings: Settings): Promise<Settings> {
  const log = createLog(settings)
  const rows = await readRows(settings, log)
  if (rows.length === 0) return settings
  const { values, unreadable } = openSettings(new Keyring(keySource(settings)), rows)
  if (unreadable.length > 0)
    log.error({ settings: unreadable }, 'these settings of the dashboard cannot be read; set them again')
  return checked(settings, values)
}

/** A setting that was changed in the dashboard may not fit what the environment says since. */
function checked(settings: Settings, values: Record<string, string>): Settings {
  try {
    return withStored(settings, values)
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    const names = Object.keys(values).join(', ')
    throw new SettingError(
      error.variable,
      `${error.problem}. These settings come from the dashboard: ${names}. 'svcd config unset <name>' takes one back`,
    )
  }
}

async function readRows(settings: Settings, log: Logger): Promise<OperatorSettingRow[]> {
  if (!settings.databaseUrl) {
    const { databaseFile } = dataPaths(settings)
    requireAccess(settings.dataDir, [path.basename(databaseFile)])
    return existsSync(databaseFile) ? settingsInFile(databaseFile) : []
  }
  try {
    const rows = await readPostgres(settings, log)
    keepCopy(settings, rows)
    return rows
  } catch (error) {
    if (troubleOf(error) !== 'away') throw error
    return readCopy(settings)
  }
}

async function readPostgres(settings: Settings, log: Logger): Promise<OperatorSettingRow[]> {
  const store = await openStore(settings, dataPaths(settings), log)
  try {
    return await settingsBeforeStart(store.db)
  } finally {
    await store.close()
  }
}

/** A node that starts while PostgreSQL does not answer has its settings from here. They are sealed here, too. */
const copyFile = ({ dataDir }: Settings): string => path.join(dataDir, 'stored-settings')

function keepCopy(settings: Settings, rows: OperatorSettingRow[]): void {
  const text = `${JSON.stringify(rows)}\n`
  const file = copyFile(settings)
  const isNew = !existsSync(file)
  // Before the first start there is no data directory.
  if (!existsSync(settings.dataDir) || (isNew && rows.length === 0)) return
  if (isNew || readFileSync(file, 'utf8') !== text) replaceFile(file, text)
}

function readCopy(settings: Settings): OperatorSettingRow[] {
  const file = copyFile(settings)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as OperatorSettingRow[]) : []
}
