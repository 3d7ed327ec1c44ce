// Scrubs the places of this node one after the other, whenever one is due.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { dayMs, minuteMs } from '@svc/contract/durations'
import type { Logger } from 'pino'
import type { Platform, Rows } from '../core/base/platform.ts'
import { type ScrubPlace, scrub } from '../core/platform/scrub.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

/** Also how long a start is left in peace. */
const lookEveryMs = 10 * minuteMs

export function keepScrubbing(
  platform: Rows & Pick<Platform, 'nodeId'>,
  places: readonly ScrubPlace[],
  { days, bytesPerSecond }: { days: number; bytesPerSecond: number },
  log: Logger,
): ReconcileLoop {
  const options = {
    holder: `${platform.nodeId} ${randomBytes(8).toString('hex')}`,
    host: hostname(),
    goodForMs: days * dayMs,
    bytesPerSecond,
    onDamage: (found: { repaired: boolean }) =>
      found.repaired
        ? log.warn(found, 'a local copy of a deployment was damaged and was replaced')
        : log.error(found, 'a stored deployment is damaged'),
  }
  const loop = new ReconcileLoop({
    async reconcile(signal) {
      for (const place of places) if (!signal.aborted) await scrub(platform, place, { ...options, signal })
    },
    onError: err => {
      if (!loop.isStopped) log.warn({ err }, 'the scrub was interrupted and goes on later')
    },
    intervalMs: lookEveryMs,
  }).start()
  return loop
}
