// Watches the clock. When it was set back, at every start and every few minutes, rows that a clock ahead left behind are repaired.
import { minuteMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import type { Rows } from '../core/base/platform.ts'
import { repairTimesAhead } from '../core/platform/clock-set-back.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

const lookEveryMs = 1_000
/** Time synchronisation makes smaller corrections. They leave nothing to repair. */
const setBackMs = 60_000
/** Another node's clock may have been ahead, and work that began before a repair may write its times after it. */
const repairEveryMs = 5 * minuteMs

export function watchClock(platform: Rows, log: Logger): ReconcileLoop {
  /** The latest time that was seen. At first later than any time, because the clock may have been set back before the start. */
  let seen = Number.POSITIVE_INFINITY
  let repairedAt = 0
  const loop = new ReconcileLoop({
    async reconcile() {
      const now = platform.clock.now()
      if (now < seen - setBackMs || now > repairedAt + repairEveryMs) {
        repairedAt = now
        const repaired = await repairTimesAhead(platform)
        if (Object.keys(repaired).length > 0)
          log.warn(
            { repaired },
            'the clock was ahead, and rows waited for times that are too late; they are repaired',
          )
      }
      seen = now
    },
    onError: err => log.error({ err }, 'could not repair rows after the clock was set back'),
    intervalMs: lookEveryMs,
  }).start()
  loop.wake()
  return loop
}
