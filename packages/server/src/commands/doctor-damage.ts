// Checks of `svcd doctor` that read everything: the database file, and the files of all deployments on this disk.
import { existsSync } from 'node:fs'
import { packsSettings } from '../compose/ports.ts'
import type { Settings } from '../config.ts'
import { CheckFailure } from '../core/platform/checks.ts'
import type { DataDirectory } from '../data-directory.ts'
import { openPacks } from '../ports/packs/open.ts'
import type { Packs } from '../ports/packs/port.ts'
import { damageOf } from '../ports/packs/verify.ts'
import { storedDeployments } from '../store/deployments/stored.ts'
import { problemsOfDatabase } from '../store/sqlite/integrity.ts'
import type { Store } from '../store/store.ts'

export function requireWholeDatabase(settings: Settings, { databaseFile }: DataDirectory): void {
  if (settings.databaseUrl || !existsSync(databaseFile)) return
  const [first, ...more] = problemsOfDatabase(databaseFile)
  if (first === undefined) return
  const words = more.length > 0 ? `${first}; ${more.join('; ')}` : first
  throw new CheckFailure(
    `${databaseFile} is damaged: ${words}`,
    'Stop svcd, keep a copy of the file, and restore the last good backup (svcd restore)',
  )
}

/** On S3 the store keeps the files. There, the copies on this disk are checked, and damaged ones are removed. */
export async function checkDeployments(
  settings: Settings,
  data: DataDirectory,
  store: Store,
): Promise<string> {
  const storage = packsSettings(settings, data)
  if (storage.kind === 's3') return await checkCopies(storage.cacheDir)
  const packs = await openPacks(storage, 'writing')
  const { checked, bytes, damaged } = await checkAll(packs)
  const missing = (await storedDeployments(store.db)).filter(id => !checked.has(id))
  const problems = [...damaged].map(([id, what]) => `${id} (${what})`)
  if (missing.length > 0) problems.push(`${named(missing)} have no files`)
  if (problems.length > 0)
    throw new CheckFailure(
      `${problems.length > 1 ? 'These deployments are' : 'This deployment is'} damaged: ${named(problems)}`,
      'Deploy them again, or restore a backup. If files change by themselves, check the disk and the memory of this machine',
    )
  return `${checked.size} packs, ${Math.ceil(bytes / 1024 ** 2)} MB, all match their checksums`
}

async function checkCopies(dir: string): Promise<string> {
  const copies = await openPacks({ kind: 'disk', dir }, 'writing')
  const { checked, damaged } = await checkAll(copies)
  for (const id of damaged.keys()) await copies.delete(id)
  const removed = damaged.size > 0 ? `; ${damaged.size} were damaged and will be copied from S3 again` : ''
  return `${checked.size} copies of packs on this disk were compared with their checksums${removed}`
}

async function checkAll(packs: Packs) {
  const checked = new Set<string>()
  const damaged = new Map<string, string>()
  let bytes = 0
  for await (const id of packs.list()) {
    const source = await packs.open(id)
    // Deleted since it was listed.
    if (source === undefined) continue
    const damage = await damageOf(source).finally(() => source.close())
    checked.add(id)
    bytes += source.size
    if (damage !== undefined) damaged.set(id, damage)
  }
  return { checked, bytes, damaged }
}

const named = (items: readonly string[]): string =>
  items.slice(0, 5).join(', ') + (items.length > 5 ? `, and ${items.length - 5} more` : '')
