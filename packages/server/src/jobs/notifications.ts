// Sends the notifications that are due. It checks every second and sends several at the same time.
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { NotificationParts } from '../core/base/platform.ts'
import { type StartedDelivery, startDeliveries } from '../core/notifications/deliver.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

const lookEveryMs = 1_000
const atOnce = 50
/** How many go to one target at a time, so that a slow receiver does not block the others. */
const ofTarget = 3

export function sendNotifications(platform: NotificationParts, log: Logger): { stop(): Promise<void> } {
  const underWay = new Set<StartedDelivery>()
  const loop = new ReconcileLoop({
    reconcile: takeAll,
    onError: err => log.error({ err }, 'cannot read the notifications'),
    intervalMs: lookEveryMs,
  }).start()
  // Every attempt adds a listener, so the warning about leaks does not apply.
  setMaxListeners(0, loop.stopping)

  async function takeAll(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && underWay.size < atOnce) {
      const portion = { atMost: atOnce - underWay.size, ofTarget, withoutTargets: busyTargets() }
      if ((await startDeliveries(platform, portion, stopping, track)) === 0) return
    }
  }

  function track(delivery: StartedDelivery): void {
    underWay.add(delivery)
    delivery.done
      .catch(err => log.error({ err }, 'could not record the result of a notification'))
      .finally(() => underWay.delete(delivery))
  }

  /** A target with attempts under way gets no further ones. */
  const busyTargets = (): string[] => [...new Set([...underWay].map(({ targetId }) => targetId))]

  return {
    async stop() {
      await loop.stop()
      await Promise.allSettled([...underWay].map(({ done }) => done))
    },
  }
}
