// The use that one edge makes of one instance: how many requests are under way, and when that was last noted in its row.
import type { AppAddress } from './reach.ts'

export class Use {
  readonly instanceId: string
  readonly address: AppAddress
  /** False once its address may be out of date. */
  isCurrent = true
  #underWay = 0
  #usedAt: number
  #notedAt: number

  constructor(instanceId: string, address: AppAddress, usedAt: number) {
    this.instanceId = instanceId
    this.address = address
    this.#usedAt = usedAt
    this.#notedAt = usedAt
  }

  get isBusy(): boolean {
    return this.#underWay > 0
  }

  begin(now: number): void {
    this.#underWay++
    this.#usedAt = now
  }

  end(now: number): void {
    this.#underWay--
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
