// Memory for the parts of uploads: shared by all of a store, and bounded by how many are sent at once.
import { FairQueue } from '../../../lib/fair-queue.ts'

/** The smallest that S3 allows for any part but the last, since memory is what bounds uploads. */
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

  /** Resolves, with the promise of its outcome, when the sending has begun: until then no other part is filled. */
  begin(send: () => Promise<void>): Promise<{ sent: Promise<void> }> {
    return new Promise(resolve => {
      const sent: Promise<void> = this.#turns.run(() => {
        // By then `sent` is known.
        queueMicrotask(() => resolve({ sent }))
        return send()
      })
    })
  }
}
