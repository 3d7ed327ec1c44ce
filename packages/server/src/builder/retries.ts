// Which failed builds are tried again, and when: those that the storage, the database or a git host failed, not the code.
import { Fault } from '../lib/fault.ts'
import { StorageFailure } from '../ports/packs/port.ts'
import { CommitUnknown } from '../store/commit-unknown.ts'
import { troubleOf } from '../store/faults.ts'
import type { BuildRow } from '../store/tables.ts'

/** The pause before each retry. After the last one the build fails for good. */
const pausesMs = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000]

/** Whether the same build may succeed later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof StorageFailure ||
  error instanceof CommitUnknown ||
  troubleOf(error) !== undefined ||
  (error instanceof Fault && error.code === 'unavailable' && error.retryAfter !== undefined)

/** How long a build waits for its next retry, and what its log says. `undefined` if there is none left. */
export function nextRetry({
  retries,
}: Pick<BuildRow, 'retries'>): { pauseMs: number; words: string } | undefined {
  const pauseMs = pausesMs[retries]
  if (pauseMs === undefined) return undefined
  return {
    pauseMs,
    words: `\nThe platform tries again in ${pauseMs / 1000} s (retry ${retries + 1} of ${pausesMs.length}).\n\n`,
  }
}
