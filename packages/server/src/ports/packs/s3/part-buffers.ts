// Memory for the parts of uploads. All uploads share it, and the number of parts sent at a time is limited.
import { FairQueue } from '../../../lib/fair-queue.ts'

/** The smallest part that S3 allows, except for the last, because memory limits the number of uploads. */
export const partBytes = 5 * 1024 * 1024
const sentAtOnce = 4

export class PartBuffers {
  readonly #turns = new FairQueue(sentAtOnce, Number.POSITIVE_INFINITY)
  readonly #free: Buffer[] = []

  acquire(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(partBytes)
  }

  giveBack(buffer: Buffer) {
    if (this.#free.length < sentAtOnce) this.#free.push(buffer)
  }

  /** Resolves when sending has begun, with a promise for its end. The caller fills no other part before that. */
  begin(send: () => Promise<void>): Promise<{ sent: Promise<void> }> {
    return new Promise(resolve => {
      const sent: Promise<void> = this.#turns.run(() => {
        // `sent` is assigned by then.
        queueMicrotask(() => resolve({ sent }))
        return send()
      })
    })
  }
}
