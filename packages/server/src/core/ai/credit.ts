// The AI credit of a plan. A request is allowed while the owner's costs of the month plus the estimated costs of running
// requests, at all nodes, are below the credit. The credit can be exceeded only by the amount by which those estimates are too low.

import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { insertReservation, lockCosts } from '../../store/ai/reservations.ts'
import { monthOf } from '../base/periods.ts'
import { inEuros, quotaExceeded } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { microCentsPerCent } from './prices.ts'
import { creditCentsOf } from './usage.ts'

export class AiCredit {
  readonly #platform: PlanSettings & Rows & Pick<Platform, 'aiUsage'>
  readonly #longestMs: number

  /** No request takes longer than `longestMs`. */
  constructor(platform: PlanSettings & Rows & Pick<Platform, 'aiUsage'>, longestMs: number) {
    this.#platform = platform
    this.#longestMs = longestMs
  }

  /** Returns the function that releases the reservation. Throws a Fault if the credit is used up. */
  async reserve(owner_id: string, cost: number): Promise<() => void> {
    const { store, clock, aiUsage } = this.#platform
    const credit = await creditCentsOf(this.#platform, owner_id)
    if (credit === undefined) return () => undefined
    // What requests of this node did cost counts instead of what they were estimated to cost.
    await aiUsage.writeOf(owner_id)
    const now = clock.now()
    const id = newId('rsv')
    await store.transact(async tx => {
      const costs = await lockCosts(tx, { owner_id, month: monthOf(now).start, now })
      const [have, reserved] = [costs.used / microCentsPerCent, costs.reserved / microCentsPerCent]
      if (have >= credit) throw quotaExceeded(this.#platform, 'aiCreditCents', { allowed: credit, have })
      if (have + reserved >= credit) throw creditReserved(credit, have, reserved)
      await insertReservation(tx, { id, owner_id, cost, expires_at: now + this.#longestMs })
    })
    return () => aiUsage.release(owner_id, id)
  }
}

/** Money that is only reserved may come back: what a request costs is known when it is answered. */
const creditReserved = (credit: number, used: number, reserved: number): Fault =>
  new Fault(
    'quota_exceeded',
    `The AI credit of this month is ${inEuros(credit)}. ${inEuros(used)} are used, and requests that are under way may cost ${inEuros(reserved)}. Try again when they are answered.`,
  )
