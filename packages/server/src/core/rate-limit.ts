// Limits on how often something may be asked for, counted in rows so that all nodes share them.
import { Fault } from '../lib/fault.ts'
import { Generations } from '../lib/generations.ts'
import { countRequest, uncountRequest } from '../store/rate-limits.ts'
import type { Platform } from './platform.ts'

export interface Allowance {
  limit: number
  remaining: number
  /** Seconds until the window ends, where the limit is exceeded. */
  retryAfter: number | undefined
}

export interface RateRule {
  limit: number
  windowSeconds: number
}

export async function spend(platform: Platform, key: string, rule: RateRule): Promise<Allowance> {
  const now = platform.clock.now()
  const windowMs = rule.windowSeconds * 1000
  const { count, window_start } = await countRequest(platform.store.db, key, now, windowMs)
  const exceeded = count > rule.limit
  return {
    limit: rule.limit,
    remaining: Math.max(0, rule.limit - count),
    retryAfter: exceeded ? Math.max(1, Math.ceil((window_start + windowMs - now) / 1000)) : undefined,
  }
}

/** For limits on failed requests alone: every request is counted first, so that many at once cannot pass together. */
export const refund = (platform: Platform, key: string): Promise<void> =>
  uncountRequest(platform.store.db, key)

const blockedAtMost = 10_000

/** For what anyone may send to a site: whoever is blocked and goes on is refused from memory and costs no write. */
export function visitorLimit(
  platform: Platform,
  rule: RateRule,
  problem: string,
): (key: string) => Promise<Allowance> {
  const { clock } = platform
  const blocked = new Generations<{ weight: 1; until: number }>(blockedAtMost)
  return async key => {
    const until = blocked.get(key)?.until ?? 0
    if (clock.now() < until) throw tooMany(problem, Math.ceil((until - clock.now()) / 1000))
    const allowance = await spend(platform, key, rule)
    if (allowance.retryAfter === undefined) return allowance
    blocked.set(key, { weight: 1, until: clock.now() + allowance.retryAfter * 1000 })
    throw tooMany(problem, allowance.retryAfter)
  }
}

function tooMany(problem: string, retryAfter: number): Fault {
  const minutes = Math.ceil(retryAfter / 60)
  const message = `${problem} Try again in ${minutes} minute${minutes > 1 ? 's' : ''}.`
  return new Fault('rate_limit_exceeded', message, { retryAfter })
}
