// The AI credit of a plan. A request begins while the owner's costs of the month, together with what the requests under
// way are expected to cost, are below the credit. So the credit can be overrun by what the last requests cost beyond
// their estimate, and no further.
import { quotaExceeded } from '../billing/plans.ts'
import type { Platform } from '../platform/platform.ts'
import { microCentsPerCent } from './prices.ts'
import { aiCostThisMonth, creditCentsOf } from './usage.ts'

export class AiCredit {
  readonly #platform: Platform
  /** In micro-cents, by owner. */
  readonly #reserved = new Map<string, number>()

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** Returns how to give the reservation back. Throws a Fault if the credit is used up. */
  async reserve(ownerId: string, estimate: number): Promise<() => void> {
    const { store, clock, aiUsage } = this.#platform
    const credit = await creditCentsOf(this.#platform, ownerId)
    if (credit === undefined) return () => undefined
    // Costs may be written while the database is asked: of the two sums the larger one misses nothing.
    const unwritten = aiUsage.unwrittenCost(ownerId)
    const written = await aiCostThisMonth(store.db, ownerId, clock.now())
    const used = written + Math.max(unwritten, aiUsage.unwrittenCost(ownerId))
    const reserved = this.#reserved.get(ownerId) ?? 0
    const have = (used + reserved) / microCentsPerCent
    if (have >= credit) throw quotaExceeded(this.#platform, 'aiCreditCents', { allowed: credit, have })
    this.#reserved.set(ownerId, reserved + estimate)
    return () => this.#giveBack(ownerId, estimate)
  }

  #giveBack(ownerId: string, estimate: number): void {
    const left = (this.#reserved.get(ownerId) ?? 0) - estimate
    if (left > 0) this.#reserved.set(ownerId, left)
    else this.#reserved.delete(ownerId)
  }
}
