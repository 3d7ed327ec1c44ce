// How a request waits for an app to start, and why a start can fail.
import { DidNotStart } from '../base/apps.ts'

/** Another deployment has the project's disk. */
export class DiskHasMoved extends DidNotStart {
  readonly successor: string | undefined

  constructor(successor: string | undefined) {
    super('The disk of the project belongs to the deployment that is live. Two cannot write to it at a time.')
    this.successor = successor
  }
}

export const allPlacesTaken =
  'As many apps run as the limits of the owner or of the machine allow, and none of them could be stopped. Try again shortly.'

export const outOfReach = () =>
  new DidNotStart('It runs on another machine, and this one, which runs no apps, cannot reach it.')

export async function withStartTimeout<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let abort: (() => void) | undefined
  const given = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DidNotStart('It was not ready in time.')), ms)
    abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, given])
  } finally {
    clearTimeout(timer)
    if (abort) signal?.removeEventListener('abort', abort)
  }
}
