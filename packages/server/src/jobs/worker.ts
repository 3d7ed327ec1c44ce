// The worker: runs due jobs, each kind in its lane, and sweeps every minute.
import type { Logger } from 'pino'
import { errorText } from '../core/base/error-text.ts'
import {
  isJobKind,
  type JobKind,
  jobKinds,
  jobsFingerprint,
  type Lane,
  lanes,
  payloadOf,
} from '../core/base/jobs.ts'
import type { Repositories } from '../core/base/platform.ts'
import { sweep } from '../core/platform/sweep.ts'
import { ReconcileLoop } from '../lib/reconcile-loop.ts'
import { claim, finish, giveUp, leaveToOthers, repeatAt, retryAt } from '../store/platform/jobs.ts'
import type { JobRow } from '../store/tables.ts'
import { handlers, type JobContext } from './handlers.ts'

const lookEveryMs = 5_000
const sweepEveryMs = 60_000
const claimMs = 15 * 60_000

interface Worker {
  stop(): Promise<void>
}

/** The slow parts of jobs. They run on threads and in other processes. */
type Threads = Pick<JobContext, 'compress' | 'makeBackup' | 'renderInvoice'>

export function startWorker(
  platform: JobContext['platform'] & Repositories,
  threads: Threads,
  log: Logger,
): Worker {
  const underWay = new Map<Promise<void>, Lane>()
  const { store, clock } = platform
  const onError = (err: unknown) => log.error({ err }, 'cannot read the job queue')
  const jobs = new ReconcileLoop({ reconcile: startDue, onError, intervalMs: lookEveryMs }).start()
  const context: JobContext = { platform, ...threads, signal: jobs.stopping }
  const sweeps = new ReconcileLoop({
    reconcile: async () => {
      for (const { name, error } of await sweep(platform))
        if (error !== undefined) log.error({ err: error, step: name }, 'a step of the sweep failed')
    },
    onError: err => log.error({ err }, 'cannot record the sweep'),
    intervalMs: sweepEveryMs,
  }).start()
  const unsubscribe = store.changes.subscribe(({ topic }) => topic === 'unconfirmed' || jobs.wake())
  jobs.wake()

  async function startDue(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const kinds = kindsWithRoom()
      if (kinds.length === 0) return
      const now = clock.now()
      const wanted = { kinds, fingerprint: jobsFingerprint, now, claimedUntil: now + claimMs }
      const job = await claim(store.db, wanted)
      if (!job) return
      begin(job)
    }
  }

  function kindsWithRoom(): JobKind[] {
    const running = [...underWay.values()]
    const hasRoom = (lane: Lane) => running.filter(other => other === lane).length < lanes[lane]
    return (Object.keys(jobKinds) as JobKind[]).filter(kind => hasRoom(jobKinds[kind].lane))
  }

  function begin(job: JobRow): void {
    if (!isJobKind(job.kind)) return
    const work = run(context, job.kind, job, log)
      .catch(onError)
      .finally(() => {
        underWay.delete(work)
        jobs.wake() // Its lane has room again.
      })
    underWay.set(work, jobKinds[job.kind].lane)
  }

  return {
    async stop() {
      unsubscribe()
      await Promise.all([jobs.stop(), sweeps.stop()])
      await Promise.all(underWay.keys())
    },
  }
}

async function run<K extends JobKind>(context: JobContext, kind: K, job: JobRow, log: Logger): Promise<void> {
  const { db } = context.platform.store
  try {
    const payload = payloadOf(kind, job)
    if (payload === undefined) return await refuse(context, job, log)
    const again = await handlers[kind](context, payload)
    if (typeof again === 'number') await repeatAt(db, job.id, again)
    else await finish(db, job.id)
  } catch (error) {
    await giveBack(context, jobKinds[kind].attempts, job, error, log)
  }
}

/** Leaves a job to a newer server, which knows what its payload means. */
async function refuse({ platform }: JobContext, job: JobRow, log: Logger): Promise<void> {
  log.warn({ job: job.kind, key: job.key }, 'a job has a payload that this version of svcd does not know')
  const why = 'This version of svcd does not understand the job. It waits for a newer one.'
  await leaveToOthers(platform.store.db, job, jobsFingerprint, why)
}

/** Schedules a retry with a growing pause, or gives up after too many attempts. An interrupted job begins again at the next start. */
async function giveBack(
  { platform, signal }: JobContext,
  attemptsAtMost: number,
  job: JobRow,
  error: unknown,
  log: Logger,
): Promise<void> {
  const [{ db }, now, text] = [platform.store, platform.clock.now(), errorText(error)]
  if (signal.aborted) return await retryAt(db, job.id, now)
  log.error({ err: error, job: job.kind, key: job.key, attempts: job.attempts }, 'a job failed')
  if (job.attempts >= attemptsAtMost) await giveUp(db, job.id, now, text)
  else await retryAt(db, job.id, now + 2 ** job.attempts * 5_000, text)
}
