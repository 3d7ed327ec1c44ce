// Starts the scheduled jobs that are due. It checks every second and runs many jobs at the same time.
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { CronParts } from '../core/base/platform.ts'
import { type StartedRun, startDue } from '../core/crons/run.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'

const lookEveryMs = 1_000
/** How many jobs run at a time. Others wait for this worker or another one until their minute is over. */
const atOnce = 200
/** How many jobs of one project run at a time, so that slow jobs of one project do not block the others. */
const ofProject = 20

export function startCrons(platform: CronParts, log: Logger): { stop(): Promise<void> } {
  const underWay = new Set<StartedRun>()
  let isFull = false
  const loop = new ReconcileLoop({
    reconcile: takeAll,
    onError: err => log.error({ err }, 'cannot read the scheduled jobs'),
    intervalMs: lookEveryMs,
  }).start()
  // Every run adds a listener, so the warning about leaks does not apply.
  setMaxListeners(0, loop.stopping)

  async function takeAll(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const portion = { atMost: atOnce - underWay.size, ofProject, withoutProjects: busyProjects() }
      isFull = portion.atMost <= 0
      if (isFull || (await startDue(platform, portion, stopping, trackRun)) === 0) return
    }
  }

  function trackRun(run: StartedRun): void {
    underWay.add(run)
    run.done
      .catch(error => log.error({ err: error }, 'could not record the result of a scheduled job'))
      .finally(() => {
        underWay.delete(run)
        if (isFull) loop.wake()
      })
  }

  function busyProjects(): string[] {
    const runs = new Map<string, number>()
    for (const { projectId } of underWay) runs.set(projectId, (runs.get(projectId) ?? 0) + 1)
    return [...runs].flatMap(([id, count]) => (count < ofProject ? [] : [id]))
  }

  return {
    async stop() {
      await loop.stop()
      await Promise.allSettled([...underWay].map(run => run.done))
    },
  }
}
