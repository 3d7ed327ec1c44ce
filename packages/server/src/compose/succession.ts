// Takes the data directory over from the svcd that serves the same data until this one is ready, if there is one.
import type { Predecessor } from './start-options.ts'

export class Succession {
  /** Whether there was an svcd before this one. Then a crash has left nothing to repair, and uploads may be under way here. */
  readonly hadFormer: boolean
  readonly #lock: () => void
  #former: Predecessor | undefined

  /** `lock` keeps every other svcd out of the data directory. */
  constructor(predecessor: Predecessor | undefined, lock: () => void) {
    this.hadFormer = predecessor !== undefined
    this.#former = predecessor
    this.#lock = lock
    if (!predecessor) lock()
  }

  /** Whether the svcd before this one still works on the data. */
  get isAwaited(): boolean {
    return this.#former !== undefined
  }

  async takeOver(because: 'serving' | 'migrating'): Promise<void> {
    if (!this.#former) return
    await this.#former.release(because)
    this.#lock()
    this.#former = undefined
  }
}
