// Runs billing: renewals, retries and unfinished payments every 30 seconds, and, also without billing, bandwidth notices every 15
// minutes.
import { minuteMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import type { BillingParts, PlanSettings } from '../core/base/platform.ts'
import { advanceBilling } from '../core/billing/advance.ts'
import { noticeBandwidth } from '../core/billing/notices.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

const advanceEveryMs = minuteMs / 2
const noticeEveryMs = 15 * minuteMs

interface BillingLoop {
  stop(): Promise<void>
}

export function keepBilling(platform: BillingParts & PlanSettings, log: Logger): BillingLoop {
  const onError = (err: unknown) => log.error({ err }, 'billing could not be moved on')
  const payments =
    platform.payments &&
    new ReconcileLoop({
      reconcile: () => advanceBilling(platform, onError),
      onError,
      intervalMs: advanceEveryMs,
    }).start()
  const notices = new ReconcileLoop({
    reconcile: () => noticeBandwidth(platform),
    onError,
    intervalMs: noticeEveryMs,
  }).start()
  return {
    async stop() {
      await Promise.all([payments?.stop(), notices.stop()])
    },
  }
}
