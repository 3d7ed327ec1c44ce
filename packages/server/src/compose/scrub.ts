// Which packs this node scrubs: those on its own disk, and with S3 also those on the shared storage, one node at a time.
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import type { ScrubPlace } from '../core/platform/scrub.ts'
import type { DataDirectory } from '../data-directory.ts'
import { keepScrubbing } from '../jobs/scrub.ts'
import { openPacks, type PacksSettings } from '../ports/packs/open.ts'
import { packsSettings } from './ports.ts'

export async function runScrub(
  platform: Platform,
  settings: Settings,
  data: DataDirectory,
  log: Logger,
): Promise<() => Promise<void>> {
  const { places, close } = await openScrubPlaces(packsSettings(settings, data), data.nodeId)
  const { scrubDays: days, scrubBytesPerSecond: bytesPerSecond } = settings
  const loop = keepScrubbing(platform, places, { days, bytesPerSecond }, log)
  return async () => {
    await loop.stop()
    await close()
  }
}

export async function openScrubPlaces(
  settings: PacksSettings,
  nodeId: string,
): Promise<{ places: ScrubPlace[]; close(): Promise<void> }> {
  if (settings.kind === 'disk')
    return {
      places: [{ id: nodeId, packs: await openPacks(settings, 'writing') }],
      close: async () => undefined,
    }
  const storage = await openPacks(settings, 'writing')
  const copied = await openPacks(settings, 'working')
  const copies = await openPacks({ kind: 'disk', dir: settings.cacheDir }, 'writing')
  /** The damaged copy may be the last one of its other files, so it stays until the storage has the pack. */
  const fetchAgain = async (id: string): Promise<boolean> => {
    const original = await storage.open(id)
    if (!original) return false
    await original.close()
    await copied.distrust(id)
    await (await copied.open(id))?.close()
    return true
  }
  return {
    places: [
      { id: nodeId, packs: copies, fetchAgain },
      { id: 'storage', packs: storage },
    ],
    async close() {
      await copied.close()
      await storage.close()
    },
  }
}
