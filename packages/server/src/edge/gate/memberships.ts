// Caches who is a member of the org that owns a site. A membership is checked again after a minute. While the database does
// not answer, it is believed until five minutes after the last check.

import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'

type AskMembership = (projectId: string, accountId: string) => Promise<boolean>

const askedAgainMs = 60_000
const believedMs = 5 * 60_000
const entriesAtMost = 10_000

export class Memberships {
  readonly #ask: AskMembership
  readonly #clock: Clock
  /** Only members are cached. Other accounts are checked each time, so that they get access as soon as they join. */
  readonly #known = new BoundedCache<{ weight: 1; askedAt: number }>(entriesAtMost)
  readonly #underWay = new Map<string, Promise<boolean>>()

  constructor(ask: AskMembership, clock: Clock) {
    this.#ask = ask
    this.#clock = clock
  }

  async has(projectId: string, accountId: string): Promise<boolean> {
    const key = `${projectId} ${accountId}`
    const age = this.#age(key)
    if (age < askedAgainMs) return true
    try {
      return await this.#check(key, projectId, accountId)
    } catch (error) {
      if (age < believedMs) return true
      throw error
    }
  }

  #age(key: string): number {
    const known = this.#known.get(key)
    return known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.askedAt
  }

  /** Asks the database whether the account is a member, and updates the cache. Concurrent calls share one query. */
  #check(key: string, projectId: string, accountId: string): Promise<boolean> {
    const underWay = this.#underWay.get(key)
    if (underWay !== undefined) return underWay
    const askedAt = this.#clock.now()
    const look = this.#ask(projectId, accountId)
      .then(isMember => {
        if (isMember) this.#known.set(key, { weight: 1, askedAt })
        else this.#known.delete(key)
        return isMember
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, look)
    return look
  }
}
