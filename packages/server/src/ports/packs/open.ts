// The one place that knows which adapter a setting means; shared by compose and the threads.
import { DiskPacks } from './disk.ts'
import type { Packs } from './port.ts'

/** Plain data, so that it can be handed to a thread. */
export type PacksSettings = { kind: 'disk'; dir: string }

export function openPacks(settings: PacksSettings): Packs {
  return new DiskPacks(settings.dir)
}
