// The worker's clock: looks every second for scheduled jobs that are due, and runs them side by side.
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { type StartedRun, startDue } from '../core/crons/run.ts'
import type { Platform } from '../core/platform/platform.ts'

const lookEveryMs = 1_000
/** What is beyond waits, here or for another worker, for as long as its minute lasts. */
const atOnce = 200
/** So that jobs of one project that take long do not keep those of others waiting. */
const ofProject = 20

export function startCrons(platform: Platform, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController()
  // Every run listens.
  setMaxListeners(0, stopping.signal)
  const underWay = new Set<StartedRun>()
  let looking: Promise<void> | undefined
  let isFull = false

  function startDueJobs(): void {
    looking ??= takeAll()
      .catch(error => log.error({ err: error }, 'the scheduled jobs cannot be read'))
      .finally(() => {
        looking = undefined
      })
  }

  async function takeAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const portion = { atMost: atOnce - underWay.size, ofProject, withoutProjects: busyProjects() }
      isFull = portion.atMost <= 0
      if (isFull || (await startDue(platform, portion, stopping.signal, trackRun)) === 0) return
    }
  }

  function trackRun(run: StartedRun): void {
    underWay.add(run)
    run.done
      .catch(error => log.error({ err: error }, 'a scheduled job could not be noted'))
      .finally(() => {
        underWay.delete(run)
        if (isFull) startDueJobs()
      })
  }

  function busyProjects(): string[] {
    const runs = new Map<string, number>()
    for (const { projectId } of underWay) runs.set(projectId, (runs.get(projectId) ?? 0) + 1)
    return [...runs].flatMap(([id, count]) => (count < ofProject ? [] : [id]))
  }

  const timer = setInterval(startDueJobs, lookEveryMs)
  timer.unref()

  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await looking
      await Promise.allSettled([...underWay].map(run => run.done))
    },
  }
}
