// Whether the platform can do its work: the database and the storage answer.
import { Fault } from '../../lib/fault.ts'
import type { Platform } from './platform.ts'

export async function checkHealth(platform: Pick<Platform, 'packs' | 'store'>): Promise<void> {
  const checks = { database: () => platform.store.check(), storage: () => platform.packs.check() }
  for (const [part, check] of Object.entries(checks))
    await check().catch((cause: unknown) => {
      throw new Fault('unavailable', `The ${part} does not answer.`, { cause })
    })
}
