// The keys that seal values: SVCD_SECRET_KEY, or the file secret.key. The first line of the file is the current key.
// While a rotation is under way, the older keys follow.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { SettingError, type Settings } from './config.ts'
import { replaceFile } from './lib/replace-file.ts'
import { SealKey } from './lib/seal.ts'

const keyFile = (settings: Settings): string => path.join(settings.dataDir, 'secret.key')

/** The content of a new key file: one random key. */
export const freshKeyFile = (): string => textOf([SealKey.fresh()])

/**
 * All keys, the current one first. Beside a key in the environment, the file's still open what they sealed.
 * Another program may replace the file at any time, so it is looked at whenever it is asked for.
 */
export function keySource(settings: Settings): () => readonly SealKey[] {
  const current = keysFrom('SVCD_SECRET_KEY', settings.secretKey ? [settings.secretKey.reveal()] : [])
  const older = keysFrom(
    'SVCD_SECRET_KEYS_OLD',
    settings.secretKeysOld.map(key => key.reveal()),
  )
  let seen: string | undefined
  let keys: readonly SealKey[] = []
  return () => {
    const mark = markOf(keyFile(settings))
    if (mark === seen) return keys
    keys = distinct([...current, ...(mark === '' ? [] : readKeyFile(settings)), ...older])
    seen = mark
    return keys
  }
}

export function readKeyFile(settings: Settings): SealKey[] {
  const file = keyFile(settings)
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
  if (lines.length === 0) throw new SettingError(file, 'holds no key; put the key back from a backup')
  return keysFrom(file, lines)
}

export function writeKeyFile(settings: Settings, keys: readonly SealKey[]): void {
  replaceFile(keyFile(settings), textOf(keys))
}

function keysFrom(source: string, lines: string[]): SealKey[] {
  return lines.map(line => {
    const key = SealKey.parse(line.trim())
    if (!key) throw new SettingError(source, 'must hold keys of 32 bytes in base64')
    return key
  })
}

const textOf = (keys: readonly SealKey[]): string => keys.map(key => `${key.base64.reveal()}\n`).join('')

const distinct = (keys: readonly SealKey[]): SealKey[] => [
  ...new Map(keys.map(key => [key.id, key])).values(),
]

/** Changes when the file is replaced. Empty if the file does not exist. */
function markOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.ctimeNs} ${stat.size}` : ''
}
