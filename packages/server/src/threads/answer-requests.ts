// The thread's side of `Thread`.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { answerCalls } from '../lib/worker-calls.ts'

/** `nice` lowers the priority of this thread, so that serving requests comes first. */
export function answerThreadRequests<Args, Result>(
  nice: number,
  handle: (args: Args, signal: AbortSignal) => Promise<Result>,
) {
  if (parentPort === null) throw new Error('This module runs in a worker thread')
  lowerPriority(nice)
  answerCalls(parentPort, handle)
}

/** Only Linux has a priority for each thread. Elsewhere this would slow down the whole process. */
function lowerPriority(nice: number) {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, nice)
  } catch {
    // Some sandboxes forbid it. The thread then runs with normal priority.
  }
}
