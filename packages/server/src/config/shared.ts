// The settings that a new node gets from another one: all that are set, but for those of a machine.
import { printLine } from './file.ts'

/** They say where a machine listens, what it has on its disk and how strong it is. */
export const ofMachine: ReadonlySet<string> = new Set([
  'SVCD_CONFIG',
  'SVCD_HOST',
  'SVCD_PORT',
  'SVCD_TLS_PORT',
  'SVCD_TLS_CERT',
  'SVCD_TLS_KEY',
  'SVCD_DATA_DIR',
  'SVCD_NODE_ADDRESS',
  'SVCD_NODE_DIR',
  'SVCD_POSTGRES_PROGRAMS',
  'SVCD_APP_FILES_DIR',
  'SVCD_EDGE_WORKERS',
  'SVCD_LOG_LEVEL',
  'SVCD_SECRET_KEY',
  'SVCD_SECRET_KEYS_OLD',
])

interface SharedSettings {
  /** The text of a settings file. */
  text: string
  /** The names of those that each machine sets itself. */
  leftOut: string[]
}

/** `keys`: all keys in base64, the current one first. */
export function sharedSettings(environment: Record<string, string>, keys: readonly string[]): SharedSettings {
  const [current = '', ...older] = keys
  const own = { SVCD_SECRET_KEY: current, ...(older.length > 0 && { SVCD_SECRET_KEYS_OLD: older.join(',') }) }
  const names = Object.keys(environment).sort()
  const shared = names.filter(name => !ofMachine.has(name))
  const lines = shared.map(name => printLine(name, environment[name] ?? ''))
  for (const [name, value] of Object.entries(own)) lines.push(printLine(name, value))
  const leftOut = names.filter(name => ofMachine.has(name) && name !== 'SVCD_CONFIG' && !(name in own))
  return { text: lines.join(''), leftOut: leftOut.filter(name => name !== 'SVCD_SECRET_KEYS_OLD') }
}
