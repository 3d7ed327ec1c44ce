// Limits of the AI gateway for tokens, owners and all requests together. They are counted in the memory of this process. With
// PostgreSQL there may be other nodes, so requests a minute are counted in the database, too.

import { minuteMs } from '@svc/contract/durations'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { Fault } from '../../lib/fault.ts'
import type { Rows } from '../base/platform.ts'
import { spend } from '../base/rate-limit.ts'
import type { AiKey } from './keys.ts'

export interface AiLimitSettings {
  tokenPerMinute: number
  ownerPerMinute: number
  /** How many requests of one owner may run at a time. */
  ownerAtOnce: number
}

/** How many requests may run at a time in total. */
const atOnce = 2_000
/** Memory for request bodies that wait to be sent. One owner may use half of it. */
const heldBytes = 256 * 1024 * 1024
const remembered = 20_000

interface Rate {
  limit: number
  remaining: number
}

/** A limit on requests a minute. */
interface Rule {
  key: string
  limit: number
  whose: string
}

interface Window {
  readonly weight: 1
  start: number
  count: number
}

export class AiLimits {
  readonly #settings: AiLimitSettings
  readonly #platform: Rows
  readonly #windows = new BoundedCache<Window>(remembered)
  readonly #underWay = new Tally(atOnce)
  readonly #bytes = new Tally(heldBytes)

  constructor(settings: AiLimitSettings, platform: Rows) {
    this.#settings = settings
    this.#platform = platform
  }

  /** Counts a request and returns the state of the tighter limit. Throws a Fault if the limit is exceeded. */
  async count({ tokenId, ownerId }: AiKey): Promise<Rate> {
    const { tokenPerMinute, ownerPerMinute } = this.#settings
    const rules: Rule[] = [
      { key: tokenId, limit: tokenPerMinute, whose: 'this token' },
      { key: ownerId, limit: ownerPerMinute, whose: 'all tokens of this owner together' },
    ]
    const rates = rules.map(rule => this.#countHere(rule))
    // One after the other: a request that the first limit refuses does not count for the second.
    if (this.#platform.store.engine === 'postgres')
      for (const rule of rules) rates.push(await this.#countEverywhere(rule))
    return rates.reduce((a, b) => (a.remaining <= b.remaining ? a : b))
  }

  /** Returns the function that ends the count. Throws a Fault if too many requests are under way. */
  enter(ownerId: string): () => void {
    const leave = this.#underWay.take(ownerId, 1, this.#settings.ownerAtOnce)
    if (leave === 'owner')
      throw new Fault(
        'rate_limit_exceeded',
        `At most ${this.#settings.ownerAtOnce} requests may be under way at a time. Wait until one ends.`,
        { retryAfter: 1 },
      )
    if (leave === 'all') throw overloaded()
    return leave
  }

  /** Returns the function that releases the memory. Throws a Fault if there is not enough. */
  hold(ownerId: string, bytes: number): () => void {
    const release = this.#bytes.take(ownerId, bytes, heldBytes / 2)
    if (typeof release === 'string') throw overloaded()
    return release
  }

  #countHere({ key, limit, whose }: Rule): Rate {
    const now = this.#platform.clock.now()
    let window = this.#windows.get(key)
    if (window === undefined || now - window.start >= minuteMs || now < window.start) {
      window = { weight: 1, start: now, count: 0 }
      this.#windows.set(key, window)
    }
    if (window.count >= limit)
      throw tooMany(limit, whose, Math.max(1, Math.ceil((window.start + minuteMs - now) / 1000)))
    window.count++
    return { limit, remaining: limit - window.count }
  }

  /** Once the limit is reached, this process refuses requests without a write until the minute is over. */
  async #countEverywhere({ key, limit, whose }: Rule): Promise<Rate> {
    const { clock } = this.#platform
    const rule = { limit, windowMs: minuteMs }
    const { remaining, retryAfter } = await spend(this.#platform, `ai ${key}`, rule)
    if (retryAfter === undefined) return { limit, remaining }
    const start = clock.now() + retryAfter * 1000 - minuteMs
    this.#windows.set(key, { weight: 1, start, count: limit })
    throw tooMany(limit, whose, retryAfter)
  }
}

const tooMany = (limit: number, whose: string, retryAfter: number): Fault =>
  new Fault(
    'rate_limit_exceeded',
    `The limit of ${limit} requests a minute with ${whose} is reached. Try again later.`,
    { retryAfter },
  )

const overloaded = (): Fault =>
  new Fault('unavailable', 'The AI gateway has too many requests under way. Try again in a few seconds.', {
    retryAfter: 2,
  })

/** An amount that owners share. */
class Tally {
  readonly #atMost: number
  readonly #byOwner = new Map<string, number>()
  #all = 0

  constructor(atMost: number) {
    this.#atMost = atMost
  }

  /** Returns the function that releases the amount, or whose limit is reached. */
  take(owner: string, amount: number, ownerAtMost: number): (() => void) | 'owner' | 'all' {
    const taken = this.#byOwner.get(owner) ?? 0
    if (taken + amount > ownerAtMost) return 'owner'
    if (this.#all + amount > this.#atMost) return 'all'
    this.#byOwner.set(owner, taken + amount)
    this.#all += amount
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = this.#byOwner.get(owner)! - amount
      if (left > 0) this.#byOwner.set(owner, left)
      else this.#byOwner.delete(owner)
      this.#all -= amount
    }
  }
}
