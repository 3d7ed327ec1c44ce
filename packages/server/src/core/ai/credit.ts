// The AI credit of a plan. A request is allowed while the owner's costs of the month plus the estimated costs of running
// requests are below the credit. The credit can be exceeded only by the amount by which those estimates are too low.

import { quotaExceeded } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { microCentsPerCent } from './prices.ts'
import { aiCostThisMonth, creditCentsOf } from './usage.ts'

export class AiCredit {
  readonly #platform: PlanSettings & Rows & Pick<Platform, 'aiUsage'>
  /** In micro-cents, by owner. */
  readonly #reserved = new Map<string, number>()

  constructor(platform: PlanSettings & Rows & Pick<Platform, 'aiUsage'>) {
    this.#platform = platform
  }

  /** Returns the function that releases the reservation. Throws a Fault if the credit is used up. */
  async reserve(ownerId: string, estimate: number): Promise<() => void> {
    const { store, clock, aiUsage } = this.#platform
    const credit = await creditCentsOf(this.#platform, ownerId)
    if (credit === undefined) return () => undefined
    // Costs may be written to the database during the query, so take the larger of the two sums.
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
