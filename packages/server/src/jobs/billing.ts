// Runs billing: renewals, retries and unfinished payments every 30 seconds, bandwidth notices every 15 minutes.
import type { Logger } from 'pino'
import { advanceBilling } from '../core/billing/advance.ts'
import { noticeBandwidth } from '../core/billing/notices.ts'
import type { Platform } from '../core/platform/platform.ts'

const minute = 60_000
const advanceEveryMs = minute / 2
const noticeEveryMs = 15 * minute

export interface BillingLoop {
  stop(): Promise<void>
}

export function keepBilling(platform: Platform, log: Logger): BillingLoop {
  const onError = (err: unknown) => log.error({ err }, 'billing could not be moved on')
  let working = Promise.resolve()
  const after = (work: () => Promise<void>) => () => {
    working = working.then(work).catch(onError)
  }
  const timers = [
    setInterval(
      after(() => advanceBilling(platform, onError)),
      advanceEveryMs,
    ),
    setInterval(
      after(() => noticeBandwidth(platform)),
      noticeEveryMs,
    ),
  ]
  for (const timer of timers) timer.unref()
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await working
    },
  }
}
