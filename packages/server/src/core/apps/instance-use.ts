// The use that one edge makes of one instance: whether requests are under way, and when that was last noted in its row.
import type { AppAddress } from './apps.ts'

/** The requests to one deployment that are under way now. Which instance each went to is not known. */
export type Visits = Set<symbol>

export class InstanceUse {
  readonly instanceId: string
  readonly address: AppAddress
  /** False once its address may be out of date. */
  isCurrent = true
  readonly #visits: Visits
  /** Once another instance has taken its place: the requests of before, any of which may have come here. */
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

  /** Another instance takes its place. */
  leave(): void {
    this.isCurrent = false
    this.#last = new Set(this.#visits)
  }

  touch(now: number): void {
    this.#usedAt = now
  }

  /** Whether it was used since the last note, which is older than `afterMs`. */
  isNoteDue(now: number, afterMs: number): boolean {
    const usedAt = this.isBusy ? now : this.#usedAt
    return usedAt > this.#notedAt && now - this.#notedAt >= afterMs
  }

  noted(now: number): void {
    this.#notedAt = now
  }
}
