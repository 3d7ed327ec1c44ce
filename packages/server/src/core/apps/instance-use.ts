// How one edge uses one instance: whether requests are under way, and when the use was last recorded in its row.
import type { AppAddress } from './apps.ts'

/** The requests to one deployment that are under way now. Which instance each went to is not known. */
export type Visits = Set<symbol>

export class InstanceUse {
  readonly instanceId: string
  readonly address: AppAddress
  /** False if its address may be out of date. */
  isCurrent = true
  readonly #visits: Visits
  /** Set when another instance replaced this one: the requests of that moment. Any of them may still use this instance. */
  #last: Visits | undefined
  #usedAt: number
  #notedAt: number

  constructor(instanceId: string, address: AppAddress, visits: Visits, usedAt: number) {
    this.instanceId = instanceId
    this.address = address
    this.#visits = visits
    this.#usedAt = usedAt
    this.#notedAt = usedAt
  }

  get isBusy(): boolean {
    if (!this.#last) return this.#visits.size > 0
    for (const visit of this.#last) if (this.#visits.has(visit)) return true
    return false
  }

  /** Another instance replaces this one. */
  leave(): void {
    this.isCurrent = false
    this.#last = new Set(this.#visits)
  }

  touch(now: number): void {
    this.#usedAt = now
  }

  /** Whether it was used since its use was last recorded, and that was more than `afterMs` ago. */
  isNoteDue(now: number, afterMs: number): boolean {
    const usedAt = this.isBusy ? now : this.#usedAt
    return usedAt > this.#notedAt && now - this.#notedAt >= afterMs
  }

  noted(now: number): void {
    this.#notedAt = now
  }
}
