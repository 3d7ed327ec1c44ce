// The worker: runs due jobs one after the other, and deletes expired rows every minute.
import type { Logger } from 'pino'
import { errorText } from '../core/base/error-text.ts'
import type { Platform } from '../core/base/platform.ts'
import { sweep } from '../core/platform/sweep.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { claim, finish, giveUp, repeatAt, retryAt } from '../store/platform/jobs.ts'
import type { JobRow } from '../store/tables.ts'
import { type JobContext, jobKinds } from './kinds.ts'

const lookEveryMs = 5_000
const sweepEveryMs = 60_000
const claimMs = 15 * 60_000
const attemptsAtMost = 5

interface Worker {
  stop(): Promise<void>
}

/** The slow parts of jobs. They run on threads. */
type Threads = Pick<JobContext, 'compress' | 'renderInvoice'>

export function startWorker(
  platform: JobContext['platform'] & Pick<Platform, 'repos'>,
  threads: Threads,
  log: Logger,
): Worker {
  const stopping = new AbortController()
  const context: JobContext = { platform, ...threads, signal: stopping.signal }
  const jobs = new ReconcileLoop({
    reconcile: async () => {
      while (!stopping.signal.aborted && (await runNext(context, log)));
    },
    onError: err => log.error({ err }, 'cannot read the job queue'),
    everyMs: lookEveryMs,
  }).start()
  const sweeps = new ReconcileLoop({
    reconcile: () => sweep(platform),
    onError: err => log.error({ err }, 'the sweep failed'),
    everyMs: sweepEveryMs,
  }).start()
  const unsubscribe = platform.store.changes.subscribe(() => jobs.wake())
  jobs.wake()

  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      await Promise.all([jobs.stop(), sweeps.stop()])
    },
  }
}

/** Returns false if no job is due. */
async function runNext(context: JobContext, log: Logger): Promise<boolean> {
  const { store, clock } = context.platform
  const now = clock.now()
  const job = await claim(store.db, now, now + claimMs)
  if (!job) return false
  try {
    const run = Object.hasOwn(jobKinds, job.kind) ? jobKinds[job.kind as keyof typeof jobKinds] : undefined
    const again = await run?.(context, job.key)
    if (typeof again === 'number') await repeatAt(store.db, job.id, again)
    else if (!context.signal.aborted) await finish(store.db, job.id)
  } catch (error) {
    await giveBack(context, job, error, log)
  }
  if (context.signal.aborted) await retryAt(store.db, job.id, clock.now())
  return true
}

/** Schedules a retry with a growing pause, or gives up after too many attempts. */
async function giveBack(
  { platform, signal }: JobContext,
  job: JobRow,
  error: unknown,
  log: Logger,
): Promise<void> {
  if (signal.aborted) return
  log.error({ err: error, job: job.kind, key: job.key, attempts: job.attempts }, 'a job failed')
  const [{ db }, now, text] = [platform.store, platform.clock.now(), errorText(error)]
  if (job.attempts >= attemptsAtMost) await giveUp(db, job.id, now, text)
  else await retryAt(db, job.id, now + 2 ** job.attempts * 5_000, text)
}
