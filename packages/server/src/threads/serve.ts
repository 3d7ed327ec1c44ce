// The thread's side of `Thread`: answers each request with what the handler returns or throws.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Request, Response } from './thread.ts'
import { encodeError } from './wire-error.ts'

/** `nice` lowers this thread alone (on Linux a priority belongs to a thread), so that serving comes first. */
export function serve<Args, Result>(
  nice: number,
  handle: (args: Args, signal: AbortSignal) => Promise<Result>,
) {
  const port = parentPort
  if (port === null) throw new Error('This module runs in a worker thread')
  const cancels = new Map<number, AbortController>()
  if (process.platform === 'linux') setPriority(0, nice)

  port.on('message', async (request: Request) => {
    if ('cancel' in request) return cancels.get(request.id)?.abort()
    const { id, args } = request
    const cancel = new AbortController()
    cancels.set(id, cancel)
    port.postMessage(await answer(id, () => handle(args as Args, cancel.signal)))
    cancels.delete(id)
  })
}

async function answer(id: number, work: () => Promise<unknown>): Promise<Response> {
  try {
    return { id, result: await work() }
  } catch (error) {
    return { id, error: encodeError(error) }
  }
}
