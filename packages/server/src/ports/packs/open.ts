// Chooses the Packs adapter from the settings, for `compose` and the threads.
import { DiskPacks } from './disk.ts'
import type { Packs } from './port.ts'
import type { S3Settings } from './s3/client.ts'

/** Plain data, so that it can be passed to a thread. */
export type PacksSettings =
  | { kind: 'disk'; dir: string }
  | { kind: 's3'; store: S3Settings; uploadsDir: string; cacheDir: string; cacheBytes: number }

/** `serving` reads remotely while it copies, `working` waits for the copy, and `writing` makes no copies. */
type PacksUse = 'serving' | 'working' | 'writing'

export async function openPacks(
  settings: PacksSettings,
  use: PacksUse,
  onError: (error: unknown) => void = () => undefined,
): Promise<Packs> {
  if (settings.kind === 'disk') return new DiskPacks(settings.dir)
  const { S3Packs } = await import('./s3/packs.ts')
  const store = new S3Packs(settings.store, settings.uploadsDir)
  if (use === 'writing') return store
  const { CachedPacks } = await import('./cached.ts')
  const { PackCache } = await import('./pack-cache.ts')
  const cache = new PackCache(settings.cacheDir, settings.cacheBytes)
  return new CachedPacks(store, cache, { copyFirst: use === 'working', onError })
}
