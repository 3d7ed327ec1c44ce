// Checks that `svcd doctor` and the operator area share. Each returns a line about what works, or throws an error that says
// what does not.
import type { DiskSpace } from '../../lib/disk-space.ts'
import type { LoopBlocks } from '../../lib/loop-blocks.ts'
import { readLoopBlocks } from '../../lib/read-loop-blocks.ts'
import { countByKey } from '../../store/platform/sealed.ts'
import { reserveOf } from '../deployments/storage-room.ts'
import type { Vault } from './platform.ts'

/** What does not work, and what to do about it. */
export class CheckFailure extends Error {
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
  }
}

/** Every sealed value must have its key. */
export async function checkKeys({ store, keyring: { keys } }: Vault): Promise<string> {
  const counts = [...(await countByKey(store.db))]
  const lost = counts.filter(([id]) => !keys.some(key => key.id === id))
  if (lost.length === 0) return `${keys.length === 1 ? '1 key is' : `${keys.length} keys are`} here`
  const words = lost.map(([id, count]) => `${count} sealed with ${id}`).join(', ')
  throw new Error(`there are values whose key is not here (${words}); add the key to SVCD_SECRET_KEYS_OLD`)
}

export async function checkEventLoop(dataDir: string): Promise<string> {
  const loops = await readLoopBlocks(dataDir)
  const blocked = loops.filter(({ count }) => count > 0)
  if (loops.length === 0) return 'nobody watches it: svcd has not been started here'
  if (blocked.length === 0) return 'was never blocked since the start'
  return blocked.map(describeBlocks).join('; ')
}

function describeBlocks({ process: name, count, longestMs, last }: LoopBlocks): string {
  const where = last?.stack[0] ? ` in ${last.stack[0]}` : ''
  const when = last ? `, the last time at ${new Date(last.at).toISOString()} for ${last.ms} ms${where}` : ''
  return `the process ${name} was blocked ${count === 1 ? 'once' : `${count} times`} since the start, for ${longestMs} ms at most${when}`
}

/** More than the reserve must be free. */
export function checkDisk({ freeBytes, totalBytes }: DiskSpace, reserveSetting: number | undefined): string {
  const reserveBytes = reserveOf(reserveSetting, totalBytes)
  if (freeBytes < reserveBytes)
    throw new Error(
      `${inMb(freeBytes)} are free, less than the reserve of ${inMb(reserveBytes)}, so uploads are refused; delete old deployments or add room`,
    )
  return `${inMb(freeBytes)} of ${inMb(totalBytes)} are free`
}

const inMb = (bytes: number): string => `${Math.floor(bytes / (1024 * 1024))} MB`
