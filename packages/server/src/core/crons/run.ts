// Runs of scheduled jobs: each minute once among all workers, never two of one job at a time.
import type { CronRun } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { type CronOfProject, claimDue, claimNow, dueCrons, endRun, findCron } from '../../store/crons.ts'
import type { CronRunRow } from '../../store/tables.ts'
import type { Platform } from '../platform.ts'
import { isoTime } from '../times.ts'
import { nextRun } from './schedule.ts'
import { cronSecretOf } from './secret.ts'
import { sign } from './signature.ts'

const minute = 60_000
const timeLimitMs = minute
/** A worker that died in the middle of a run holds the job no longer than this. */
const heldMs = timeLimitMs + 15_000
const runsKept = 20

/** Takes the jobs that are due, at most so many, and answers their runs, which are under way then. */
export async function startDue(
  platform: Platform,
  atMost: number,
  signal: AbortSignal,
): Promise<Promise<void>[]> {
  const { store, clock } = platform
  const runs: Promise<void>[] = []
  for (const cron of await dueCrons(store.db, clock.now(), atMost)) {
    const now = clock.now()
    const run = newId('run')
    const next = nextRun(cron.schedule, now)
    // What was missed while nobody was there is not made up for.
    const missed = now >= cron.next_run_at! + minute
    const taken = await claimDue(store.db, cron, { next, now, run: missed ? null : run, until: now + heldMs })
    if (taken) runs.push(execute(platform, cron, run, signal).then(() => undefined))
  }
  return runs
}

/** At once, beside its schedule. */
export async function runNow(platform: Platform, projectId: string, id: string): Promise<CronRun> {
  const { store, clock } = platform
  const cron = await findCron(store.db, projectId, id)
  if (!cron) throw new Fault('not_found', 'There is no such scheduled job.')
  const now = clock.now()
  const run = newId('run')
  if (!(await claimNow(store.db, id, { now, run, until: now + heldMs })))
    throw new Fault('run_under_way', 'The job is running at the moment. Try again when it is done.')
  return describeRun(await execute(platform, cron, run, new AbortController().signal))
}

async function execute(
  platform: Platform,
  cron: CronOfProject,
  run: string,
  signal: AbortSignal,
): Promise<CronRunRow> {
  const started_at = platform.clock.now()
  const outcome = await request(platform, cron, signal)
  const duration_ms = Math.max(0, platform.clock.now() - started_at)
  const row = { id: run, cron_id: cron.id, started_at, duration_ms, ...outcome }
  await platform.store.transact(tx => endRun(tx, row, runsKept))
  return row
}

async function request(
  platform: Platform,
  { id, project_id, project_name: project, method, path }: CronOfProject,
  signal: AbortSignal,
): Promise<Pick<CronRunRow, 'status' | 'error'>> {
  const limit = AbortSignal.timeout(timeLimitMs)
  try {
    const timestamp = String(Math.floor(platform.clock.now() / 1000))
    const signature = sign({ timestamp, method, path }, await cronSecretOf(platform, project_id))
    const headers = {
      'user-agent': `svc-cron/${platform.version} (bot)`,
      accept: '*/*',
      'x-svc-cron': id,
      'x-svc-timestamp': timestamp,
      'x-svc-signature': signature,
      ...(method !== 'GET' && method !== 'HEAD' && { 'content-length': '0' }),
    }
    const sent = { project, method, path, headers }
    return { status: await platform.callSite(sent, AbortSignal.any([signal, limit])), error: null }
  } catch (error) {
    return { status: null, error: problem(error, { signal, limit }) }
  }
}

function problem(error: unknown, { signal, limit }: { signal: AbortSignal; limit: AbortSignal }): string {
  if (limit.aborted) return 'There was no answer within the time limit.'
  if (signal.aborted) return 'The platform was stopped before the answer came.'
  return `The request failed: ${error instanceof Error ? error.message : error}`.slice(0, 500)
}

export const describeRun = (row: CronRunRow): CronRun => ({
  started_at: isoTime(row.started_at),
  duration_ms: row.duration_ms,
  status: row.status,
  error: row.error,
})
