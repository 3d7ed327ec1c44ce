// The worker's clock: looks every second for scheduled jobs that are due, and runs them side by side.
import type { Logger } from 'pino'
import { startDue } from '../core/crons/run.ts'
import type { Platform } from '../core/platform.ts'

const lookEveryMs = 1_000
/** What is beyond waits for the next look, here or at another worker, for as long as its minute lasts. */
const atOnce = 50

export function startCrons(platform: Platform, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const room = atOnce - underWay.size
    if (room <= 0) return
    for (const run of await startDue(platform, room, stopping.signal)) {
      const noted = run
        .catch(error => log.error({ err: error }, 'a scheduled job could not be noted'))
        .finally(() => underWay.delete(noted))
      underWay.add(noted)
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch(error => log.error({ err: error }, 'the scheduled jobs cannot be read'))
      .finally(() => {
        looking = undefined
      })
  }, lookEveryMs)
  timer.unref()

  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await looking
      await Promise.all(underWay)
    },
  }
}
