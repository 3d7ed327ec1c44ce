// svcd keys: lists the keys that seal values, rotates them while the server runs, and replaces one that was lost.
import { withPlatform } from '../compose/command-platform.ts'
import { readSettings, type Settings } from '../config.ts'
import type { Vault } from '../core/base/platform.ts'
import { adoptKey, requirePlatformKey } from '../core/platform/key-check.ts'
import { findUnreadable, resealAll, type Unreadable } from '../core/platform/keys.ts'
import { lockKeys } from '../data-directory.ts'
import { readKeyFile, writeKeyFile } from '../key-file.ts'
import { SealKey } from '../lib/seal.ts'
import { countByKey } from '../store/platform/sealed.ts'
import { complain } from './output.ts'

const subcommands: Record<string, (platform: Vault, settings: Settings) => Promise<number>> = {
  list,
  rotate,
  adopt,
}

export async function keys(args: string[]): Promise<number> {
  const [verb = '', extra] = args
  const run = Object.hasOwn(subcommands, verb) ? subcommands[verb] : undefined
  if (!run || extra !== undefined) return complain('Usage: svcd keys list | rotate | adopt')
  return await withPlatform(platform => run(platform, readSettings()))
}

async function list({ store, keyring }: Vault): Promise<number> {
  const counts = await countByKey(store.db)
  const here = keyring.keys.map(({ id }) => id)
  const lost = [...counts.keys()].filter(id => !here.includes(id))
  const state = (id: string) => (lost.includes(id) ? 'missing' : id === here[0] ? 'current' : 'older')
  for (const id of [...here, ...lost])
    process.stdout.write(`${id}  ${state(id).padEnd('current'.length)}  ${values(counts.get(id) ?? 0)}\n`)
  return lost.length === 0 ? 0 : 1
}

/** Seals every value with a new key, then removes the old keys. It can be interrupted and run again. */
async function rotate(platform: Vault, settings: Settings): Promise<number> {
  const unlock = lockKeys(settings)
  try {
    if (!settings.secretKey) addKey(settings)
    const { current } = platform.keyring
    await resealAll(platform, count => tell(`Sealed ${values(count)} anew.`))
    const unreadable = await findUnreadable(platform)
    if (unreadable.length > 0) return keepAll(unreadable)
    await requirePlatformKey(platform)
    if (!settings.secretKey) writeKeyFile(settings, [current])
    process.stdout.write(`Every value is sealed with the key ${current.id}.\n`)
    if (settings.secretKey) tell(howToChange(platform.keyring.keys.length > 1))
    return 0
  } finally {
    unlock()
  }
}

/** After the key was lost: lets the platform start with the key that is here. */
async function adopt(platform: Vault): Promise<number> {
  await adoptKey(platform)
  process.stdout.write(`The key of the platform is ${platform.keyring.current.id} now.\n`)
  for (const { project, key } of await findUnreadable(platform))
    tell(`${project}: ${key} has to be set again.`)
  return 0
}

/** Adds a new key. If the file has two keys, an earlier rotation was interrupted, and its new key is used. */
function addKey(settings: Settings): void {
  const here = readKeyFile(settings)
  const under = here.length > 1 ? here[0] : undefined
  const fresh = SealKey.fresh()
  if (!under) writeKeyFile(settings, [fresh, ...here])
  tell(
    under
      ? `Going on with the rotation to the key ${under.id}.`
      : `Made the key ${fresh.id}. ${here[0]?.id} is kept until every value is sealed anew.`,
  )
}

function keepAll(unreadable: Unreadable[]): number {
  for (const { project, key, why } of unreadable) tell(`${project}: ${key} cannot be read: ${why}.`)
  return complain(
    `${values(unreadable.length)} cannot be read, so all keys are kept. Put the missing key into SVCD_SECRET_KEYS_OLD, or set or remove the values, and run this again.`,
  )
}

const howToChange = (hasOlder: boolean): string =>
  hasOlder
    ? 'The older keys are not needed any more: remove SVCD_SECRET_KEYS_OLD, and secret.key from the data directory.'
    : 'The key comes from SVCD_SECRET_KEY. To change it, move it to SVCD_SECRET_KEYS_OLD, set a new one (openssl rand -base64 32), restart, and run this again.'

const values = (count: number): string => `${count} ${count === 1 ? 'value' : 'values'}`

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}
