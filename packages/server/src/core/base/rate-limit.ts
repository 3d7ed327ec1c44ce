// Rate limits, counted in the database so that all nodes share them.

import { BoundedCache } from '../../lib/bounded-cache.ts'
import { Fault } from '../../lib/fault.ts'
import { countRequest, uncountRequest } from '../../store/platform/rate-limits.ts'
import type { Platform, Rows } from './platform.ts'

export interface Allowance {
  limit: number
  remaining: number
  /** Seconds until the window ends. Only set if the limit is exceeded. */
  retryAfter: number | undefined
}

export interface RateRule {
  limit: number
  windowMs: number
}

/** Counts `by` requests. */
export async function spend(platform: Rows, key: string, rule: RateRule, by = 1): Promise<Allowance> {
  const now = platform.clock.now()
  const { windowMs } = rule
  const { count, window_start } = await countRequest(platform.store.db, key, now, windowMs, by)
  const exceeded = count > rule.limit
  return {
    limit: rule.limit,
    remaining: Math.max(0, rule.limit - count),
    retryAfter: exceeded ? Math.max(1, Math.ceil((window_start + windowMs - now) / 1000)) : undefined,
  }
}

/** For limits on failed requests: every request is counted first, so that many concurrent ones cannot pass together. */
export const refund = (platform: Pick<Platform, 'store'>, key: string): Promise<void> =>
  uncountRequest(platform.store.db, key)

/** Requests that are counted in one go. */
const blockSize = 50
const blocksAtMost = 10_000

/** A number of requests that share the result of one write, until a given time. */
interface Block {
  weight: 1
  left: number
  until: number
  /** Rejects if the limit is exceeded. */
  granted: Promise<void>
}

/**
 * For limits on frequent and cheap requests. A process counts 50 requests with one write, and they share its result. A block
 * that is not used up within a tenth of the window expires.
 */
export function limitInBlocks(
  platform: Rows,
  rule: RateRule,
  problem: string,
): (key: string) => Promise<void> {
  const { clock } = platform
  const blocks = new BoundedCache<Block>(blocksAtMost)

  function takeBlock(key: string): Promise<void> {
    const granted = spend(platform, key, rule, blockSize).then(
      ({ retryAfter }) => {
        if (retryAfter === undefined) return
        block.until = Math.min(block.until, clock.now() + retryAfter * 1000)
        throw tooMany(problem, retryAfter)
      },
      error => {
        block.left = 0
        throw error
      },
    )
    const until = clock.now() + rule.windowMs / 10
    const block: Block = { weight: 1, left: blockSize - 1, until, granted }
    blocks.set(key, block)
    return granted
  }

  return key => {
    const block = blocks.get(key)
    if (block === undefined || block.left === 0 || clock.now() >= block.until) return takeBlock(key)
    block.left--
    return block.granted
  }
}

const blockedAtMost = 10_000

/** For requests of visitors. A blocked client is refused from memory, without a write. */
export function visitorLimit(
  platform: Rows,
  rule: RateRule,
  problem: string,
): (key: string) => Promise<Allowance> {
  const { clock } = platform
  const blocked = new BoundedCache<{ weight: 1; until: number }>(blockedAtMost)
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
