// The files that arrived before an upload broke off. They are kept for an hour, so that the client can continue.
import { hourMs } from '@svc/contract/durations'
import { expiredParts, forgetParts, keepParts } from '../../store/deployments/parts.ts'
import type { Platform, Rows } from '../base/platform.ts'
import type { BrokenOff } from '../base/uploads.ts'

const keptMs = hourMs
const batch = 100

export async function keepPartsOf(
  platform: Rows & Pick<Platform, 'packs'>,
  projectId: string,
  id: string,
  { keptBytes }: BrokenOff,
): Promise<void> {
  const until = platform.clock.now() + keptMs
  const isKept = await platform.store.transact(tx =>
    keepParts(tx, projectId, id, { bytes: keptBytes, until }),
  )
  if (!isKept) await platform.packs.delete(id)
}

/** Deletes the files before the rows, so that an interrupted run is repeated. */
export async function removeExpiredParts(platform: Rows & Pick<Platform, 'packs'>): Promise<void> {
  while (true) {
    const ids = await expiredParts(platform.store.db, platform.clock.now(), batch)
    if (ids.length === 0) return
    for (const id of ids) await platform.packs.delete(id)
    await platform.store.transact(tx => forgetParts(tx, ids))
  }
}
