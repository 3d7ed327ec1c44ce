// The other side of `Thread`: what runs in the thread or process.
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

/**
 * The same in a process. It ends together with svcd, even if svcd is killed. Signals that the terminal or systemd send to all
 * processes do not end it before svcd does.
 */
export function answerProcessRequests<Args, Result>(
  nice: number,
  handle: (args: Args, signal: AbortSignal) => Promise<Result>,
) {
  lowerPriority(nice)
  process.once('disconnect', () => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  answerCalls(
    {
      on: (event, listener) => process.on(event, listener),
      // If svcd is gone, nobody waits for the answer.
      postMessage: message => process.send?.(message, undefined, undefined, () => undefined),
    },
    handle,
  )
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
