// How one edge uses one instance: whether requests are under way, and when the use was last recorded in its row.
import type { AppAddress } from '../base/apps.ts'

/**
 * The requests to one deployment that are under way. Which instance each went to is not known. When another instance replaces
 * the current one, later requests are counted in a new object, so that the old instance is busy only until the earlier ones end.
 */
export class Visits {
  #count = 0
  readonly #earlier: Visits | undefined

  constructor(earlier?: Visits) {
    // An object that counts nothing is left out, so that the list of earlier ones stays short.
    this.#earlier = earlier !== undefined && earlier.#count === 0 ? earlier.#earlier : earlier
  }

  /** Whether any of these or the earlier requests is under way. */
  get isAny(): boolean {
    for (let visits: Visits | undefined = this; visits !== undefined; visits = visits.#earlier)
      if (visits.#count > 0) return true
    return false
  }

  /** Counts a request until the returned function is called. `onEnd` is called then. */
  begin(onEnd: () => void): () => void {
    let isOver = false
    this.#count++
    return () => {
      if (isOver) return
      isOver = true
      this.#count--
      onEnd()
    }
  }
}

export class InstanceUse {
  readonly instanceId: string
  readonly address: AppAddress
  /** False if its address may be out of date. */
  isCurrent = true
  readonly #visits: Visits
  #usedAt: number
  #notedAt: number

  /** `visits` counts the requests until another instance replaces this one. Any of them may use this instance. */
  constructor(instanceId: string, address: AppAddress, visits: Visits, usedAt: number) {
    this.instanceId = instanceId
    this.address = address
    this.#visits = visits
    this.#usedAt = usedAt
    this.#notedAt = usedAt
  }

  get isBusy(): boolean {
    return this.#visits.isAny
  }

  touch(now: number): void {
    this.#usedAt = now
  }

  /** Whether it was used since its use was last recorded, and that was more than `afterMs` ago. */
  isNoteDue(now: number, afterMs: number): boolean {
    if (now - this.#notedAt < afterMs) return false
    return (this.isBusy ? now : this.#usedAt) > this.#notedAt
  }

  noted(now: number): void {
    this.#notedAt = now
  }
}
