// The thread's side of `Thread`: answers each request with what the handler returns or throws.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Request, Response } from './thread.ts'
import { encodeError } from './wire-error.ts'

/** `nice` lowers the priority of this thread, so that serving requests comes first. */
export function answerThreadRequests<Args, Result>(
  nice: number,
  handle: (args: Args, signal: AbortSignal) => Promise<Result>,
) {
  const port = parentPort
  if (port === null) throw new Error('This module runs in a worker thread')
  const cancels = new Map<number, AbortController>()
  lowerPriority(nice)

  port.on('message', async (request: Request) => {
    if ('cancel' in request) return cancels.get(request.id)?.abort()
    const { id, args } = request
    const cancel = new AbortController()
    cancels.set(id, cancel)
    port.postMessage(await answer(id, () => handle(args as Args, cancel.signal)))
    cancels.delete(id)
  })
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

async function answer(id: number, work: () => Promise<unknown>): Promise<Response> {
  try {
    return { id, result: await work() }
  } catch (error) {
    return { id, error: encodeError(error) }
  }
}
