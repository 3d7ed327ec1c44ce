// The settings of svcd: environment variables with the prefix SVCD_, or a file of the same names. Nothing else
// in the program reads process.env.
import { existsSync } from 'node:fs'
import { backupPlace } from './config/backups.ts'
import { checkBilling } from './config/billing.ts'
import { acmeSettings, checkCertificateFiles } from './config/domains.ts'
import { readConfigFile } from './config/file.ts'
import { githubApp } from './config/github.ts'
import { Unacceptable } from './config/kinds.ts'
import { checkLimits } from './config/limits.ts'
import { checkEnvironment } from './config/names.ts'
import { type Earlier, type Setting, SettingError } from './config/setting.ts'
import { s3Settings } from './config/storage.ts'
import { rows, type Settings } from './config/table.ts'

export { type BackupLock, type BackupPlace, backupPlace } from './config/backups.ts'
export { trustedAddresses } from './config/connections.ts'
export { acmeSettings, ownCertificate } from './config/domains.ts'
export { printSettings, printWithOrigins } from './config/file.ts'
export type { Keep } from './config/kinds.ts'
export { SettingError } from './config/setting.ts'
export { sharedSettings } from './config/shared.ts'
export { s3Settings } from './config/storage.ts'
export { operatorSections } from './config/stored.ts'
export type { Settings } from './config/table.ts'

/** The names that the program uses, by those of the variables. */
export const settingNames: ReadonlyMap<string, keyof Settings> = new Map(
  rows.map(([name, { variable }]) => [variable, name]),
)

type Source = Record<string, string | undefined>

interface Sources {
  environment: Source
  file: Source
  /** Rows of the database, which the dashboard writes. */
  stored: Source
}

/** What settings were read from, for processes that are to have the same. */
const sourcesOf = new WeakMap<Settings, Sources>()

const noSources: Sources = { environment: {}, file: {}, stored: {} }

/** What the environment and the file say. */
export function environmentOf(settings: Settings): Record<string, string> {
  const { environment, file } = sourcesOf.get(settings) ?? noSources
  return ownOf({ ...file, ...environment })
}

/** What the dashboard has changed. */
export const storedIn = (settings: Settings): Source => (sourcesOf.get(settings) ?? noSources).stored

function ownOf(source: Source): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(source))
    if (name.startsWith('SVCD_') && value !== undefined) own[name] = value
  return own
}

/** The same as `environmentOf`, with what the dashboard has changed. */
export const everySetting = (settings: Settings): Record<string, string> =>
  ownOf(merged(sourcesOf.get(settings) ?? noSources))

type Origin = 'environment' | 'file' | 'dashboard' | 'default'

/** Where the value of a setting comes from. */
export function originOf(settings: Settings, variable: string): Origin {
  const { environment, file, stored } = sourcesOf.get(settings) ?? noSources
  if (isSet(environment, variable)) return 'environment'
  if (isSet(file, variable) && environment[variable] === undefined) return 'file'
  return isSet(stored, variable) ? 'dashboard' : 'default'
}

const isSet = (source: Source, variable: string): boolean => Boolean(source[variable]?.trim())

/** The environment wins over the file, and both over the dashboard. */
function merged({ environment, file, stored }: Sources): Source {
  const given: Source = { ...file, ...environment }
  const unset = Object.entries(stored).filter(([variable]) => !isSet(given, variable))
  return { ...given, ...Object.fromEntries(unset) }
}

/** The environment of another process of svcd with the same settings, and no others. */
export const environmentFor = (settings: Settings): Source => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVCD_'))),
  ...everySetting(settings),
})

/** A variable that another setting names, such as that of an AI provider's key. */
export const variableOf = (settings: Settings, name: string): string | undefined =>
  merged(sourcesOf.get(settings) ?? noSources)[name]

/** Where `svcd install` writes the settings. */
export const installedConfig = '/etc/svcd.env'
let isInstalledMeant = false

/**
 * From here on, an environment that names no platform means the installed one, wherever a command is run. Returns whether that
 * is the case now.
 */
export function meanInstalled(): boolean {
  const { SVCD_CONFIG: config, SVCD_DATA_DIR: dataDir, SVCD_DATABASE_URL: database } = process.env
  isInstalledMeant = !config && !dataDir && !database && existsSync(installedConfig)
  return isInstalledMeant
}

/** A socket that another process has opened for this one. */
interface InheritedFile {
  fd: number
  name: string
}

const firstInherited = 3

/**
 * The sockets that systemd has opened for this process (sd_listen_fds), or the svcd process that started it. That one cannot know
 * the number of this process beforehand, and gives its own.
 */
export function inheritedFiles(): InheritedFile[] {
  const { LISTEN_PID: pid, LISTEN_FDS: count, LISTEN_FDNAMES: list = '' } = process.env
  const isForThis = Number(pid) === process.pid || (process.connected && Number(pid) === process.ppid)
  if (!isForThis) return []
  const names = list.split(':')
  return Array.from({ length: Number(count) || 0 }, (_, i) => ({
    fd: firstInherited + i,
    name: names[i] ?? '',
  }))
}

/** Whether another svcd started this process, to take its place. */
export const hasPredecessor = (): boolean =>
  process.connected && Number(process.env.LISTEN_PID) === process.ppid

/** The environment for a process that this one starts, with sockets of these names as its files from 3 on. */
export const environmentWith = (
  names: readonly string[],
  settings: Record<string, string> = {},
): NodeJS.ProcessEnv => ({
  ...process.env,
  ...settings,
  LISTEN_PID: `${process.pid}`,
  LISTEN_FDS: `${names.length}`,
  LISTEN_FDNAMES: names.join(':'),
})

/** The socket on which systemd waits to hear that the service is ready. */
export const notifySocket = (): string | undefined => process.env.NOTIFY_SOCKET

/** Throws a SettingError that names the setting and says what is wrong with it. */
export function readSettings(environment: Source = process.env): Settings {
  checkEnvironment(Object.keys(environment))
  const installed = environment === process.env && isInstalledMeant ? installedConfig : undefined
  const config = environment.SVCD_CONFIG || installed
  const file = config ? readConfigFile(config) : {}
  return settingsOf({ environment, file, stored: {} })
}

/** The same settings, with what the dashboard has changed. Throws a SettingError as `readSettings` does. */
export const withStored = (settings: Settings, stored: Source): Settings =>
  settingsOf({ ...(sourcesOf.get(settings) ?? noSources), stored })

function settingsOf(sources: Sources): Settings {
  const source = merged(sources)
  const settings = {} as Settings
  // A default may depend on rows above its own, which are read by then.
  for (const [name, row] of rows) Object.assign(settings, { [name]: readSetting(row, source, settings) })
  sourcesOf.set(settings, sources)
  for (const check of checks) check(settings)
  return settings
}

function readSetting<T>({ variable, kind, fallback }: Setting<T>, source: Source, earlier: Earlier): T {
  const text = source[variable]?.trim()
  if (!text) return fallback.from(earlier)
  try {
    return kind.parse(text)
  } catch (error) {
    throw error instanceof Unacceptable ? new SettingError(variable, error.message) : error
  }
}

/** What several settings must be together. svcd stops here, and not when it first needs them. */
const checks: ((settings: Settings) => unknown)[] = [
  checkCertificateFiles,
  acmeSettings,
  checkBilling,
  checkLimits,
  s3Settings,
  backupPlace,
  githubApp,
]
