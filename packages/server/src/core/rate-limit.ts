// Limits on how often something may be asked for, counted in rows so that all nodes share them.
import { countRequest } from '../store/rate-limits.ts'
import type { Platform } from './platform.ts'

export interface Allowance {
  limit: number
  remaining: number
  /** Seconds until the window ends, where the limit is exceeded. */
  retryAfter: number | undefined
}

export async function spend(
  platform: Platform,
  key: string,
  rule: { limit: number; windowSeconds: number },
): Promise<Allowance> {
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
