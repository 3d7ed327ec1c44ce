// Single background jobs, as the operator sees them: what waits, what failed and why.
import type { AdminJob } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { listJobs, lockJob, restartJob } from '../../store/admin/jobs.ts'
import { finish } from '../../store/platform/jobs.ts'
import type { Tx } from '../../store/store.ts'
import type { JobRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { isForNewer, isJobKind, jobKinds } from '../base/jobs.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'

export async function jobs(
  { store, clock }: Rows,
  page: PageRequest,
): Promise<{ jobs: AdminJob[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listJobs(store.db, page)
  return { jobs: rows.map(row => describe(row, clock.now())), next_cursor }
}

export async function retryJob(platform: Rows, caller: Caller, id: string): Promise<AdminJob> {
  const now = platform.clock.now()
  return await platform.store.transact(async tx => {
    const job = await findIdle(tx, id, now)
    const restarted = await restartJob(tx, id, now)
    await note(platform, tx, caller, 'job.retry', job)
    return describe(restarted, now)
  })
}

export async function cancelJob(platform: Rows, caller: Caller, id: string): Promise<void> {
  await platform.store.transact(async tx => {
    const job = await findIdle(tx, id, platform.clock.now())
    if (!canCancel(job))
      throw new Fault(
        'invalid_request',
        `A job of the kind ${job.kind} cannot be cancelled while it may still succeed. It is given up after some failures.`,
      )
    await finish(tx, id)
    await note(platform, tx, caller, 'job.cancel', job)
  })
}

async function findIdle(tx: Tx, id: string, now: number): Promise<JobRow> {
  const job = await lockJob(tx, id)
  if (!job) throw new Fault('not_found', 'There is no such job. It may have ended meanwhile.')
  if (isRunning(job, now)) throw new Fault('run_under_way', 'The job is running at the moment.')
  return job
}

const note = (
  platform: Rows,
  tx: Tx,
  caller: Caller,
  action: 'job.retry' | 'job.cancel',
  { id, kind, key }: JobRow,
) => audit(platform, tx, caller, { action, accountId: caller.account.id, target: id, details: { kind, key } })

const isRunning = ({ claimed_until }: JobRow, now: number): boolean =>
  claimed_until !== null && Number(claimed_until) > now

const hasFailed = ({ failed_at }: JobRow): boolean => failed_at !== null && failed_at !== undefined

/** What people count on, such as an invoice, cannot be cancelled while it may still succeed. */
const canCancel = (job: JobRow): boolean =>
  hasFailed(job) || isForNewer(job) || (isJobKind(job.kind) && jobKinds[job.kind].mayCancel)

function stateOf(job: JobRow, now: number): AdminJob['state'] {
  if (hasFailed(job)) return 'failed'
  if (isRunning(job, now)) return 'running'
  if (isForNewer(job)) return 'not_understood'
  return job.attempts > 0 ? 'retrying' : 'waiting'
}

function describe(job: JobRow, now: number): AdminJob {
  const state = stateOf(job, now)
  const { id, kind, key, attempts } = job
  return {
    ...{ id, kind, key, state, attempts },
    created_at: isoTime(Number(job.created_at)),
    due_at: state === 'failed' ? null : isoTime(Number(job.run_at)),
    error: job.error ?? null,
    can_cancel: state !== 'running' && canCancel(job),
  }
}
