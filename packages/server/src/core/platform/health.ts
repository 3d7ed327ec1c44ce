// Whether the platform can do its work: the database and the storage answer.
import { Fault } from '../../lib/fault.ts'
import type { Platform } from '../base/platform.ts'

type Checked = Pick<Platform, 'packs' | 'store'>

const underWay = new WeakMap<Checked['store'], Promise<void>>()

/** Anybody may ask, and a check writes a file or asks S3. So those who ask at the same time share one check. */
export function checkHealth(platform: Checked): Promise<void> {
  const { store } = platform
  let check = underWay.get(store)
  if (!check) {
    check = checkParts(platform).finally(() => underWay.delete(store))
    underWay.set(store, check)
  }
  return check
}

async function checkParts({ store, packs }: Checked): Promise<void> {
  const checks = { database: () => store.check(), storage: () => packs.check() }
  for (const [part, check] of Object.entries(checks))
    await check().catch((cause: unknown) => {
      throw new Fault('unavailable', `The ${part} does not answer.`, { cause })
    })
}
