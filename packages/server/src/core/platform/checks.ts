// Checks that `svcd doctor` and the operator area share. Each returns a line about what works, or throws an error that says
// what does not.
import { formatBytes } from '@svc/contract/bytes'
import { dayMs, hourMs, minuteMs } from '@svc/contract/durations'
import type { DiskSpace } from '../../lib/disk-space.ts'
import { readLoopBlocks } from '../../lib/read-loop-blocks.ts'
import { countByKey } from '../../store/platform/sealed.ts'
import type { Vault } from '../base/platform.ts'
import { reserveOf } from '../deployments/storage-room.ts'

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

/** Says how often the event loops of all processes were blocked. What blocked them is in the log. */
export async function checkEventLoop(dataDir: string): Promise<string> {
  const loops = await readLoopBlocks(dataDir)
  if (loops.length === 0) return 'is not watched: svcd has not run here yet, or SVCD_LOOP_BLOCK_MS is 0'
  const blocked = loops.filter(({ count }) => count > 0)
  if (blocked.length === 0) return 'was never blocked since svcd started'
  const count = blocked.reduce((sum, loop) => sum + loop.count, 0)
  const longest = Math.max(...blocked.map(({ longestMs }) => longestMs))
  const last = blocked.flatMap(({ last }) => last ?? []).toSorted((a, b) => b.at - a.at)[0]
  const when = last ? ` The last time was ${inUtc(last.at)}, for ${inSeconds(last.ms)}.` : ''
  const times = count === 1 ? 'once' : `${count} times`
  return `was blocked ${times} since svcd started, for ${inSeconds(longest)} at most. Requests wait meanwhile.${when} The log of svcd says what it was doing`
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const inUtc = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** More than the reserve must be free. */
export function checkDisk({ freeBytes, totalBytes }: DiskSpace, reserveSetting: number | undefined): string {
  const reserveBytes = reserveOf(reserveSetting, totalBytes)
  if (freeBytes < reserveBytes)
    throw new Error(
      `${formatBytes(freeBytes)} are free, less than the reserve of ${formatBytes(reserveBytes)}, so uploads are refused; delete old deployments or add room`,
    )
  return `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} are free`
}

export const ageInWords = (ms: number): string =>
  ms < 2 * hourMs
    ? `${Math.max(0, Math.floor(ms / minuteMs))} minutes`
    : ms < 2 * dayMs
      ? `${Math.floor(ms / hourMs)} hours`
      : `${Math.floor(ms / dayMs)} days`
