// Runs scheduled jobs: each minute is run by one worker only, and a job never runs twice at the same time.
import { type CronRun, limits } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { withAnySignal } from '../../lib/any-signal.ts'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import type { SiteRequest } from '../../ports/site-call/port.ts'
import {
  type CronOfProject,
  claimDue,
  claimNow,
  dueCrons,
  endRun,
  findCron,
  type Portion,
} from '../../store/crons/crons.ts'
import type { Tx } from '../../store/store.ts'
import type { CronRunRow } from '../../store/tables.ts'
import type { CronParts, Platform, Rows, Vault } from '../base/platform.ts'
import { requireNotSuspended, suspensionOf } from '../base/suspension.ts'
import { isoTime } from '../base/times.ts'
import { notifyOfProblem, notifyOfRecovery } from '../notifications/notify.ts'
import { nextRun } from './schedule.ts'
import { cronSecretOf } from './secret.ts'
import { sign } from './signature.ts'

const timeLimitMs = minuteMs
/** How long the claim of a worker lasts, in case the worker dies during a run. */
const heldMs = timeLimitMs + 15_000

export interface StartedRun {
  projectId: string
  /** Resolves when the run is over and recorded. */
  done: Promise<unknown>
}

/** Claims a batch of due jobs and passes each started run to the callback. Resolves with the number of due jobs. */
export async function startDue(
  platform: CronParts,
  portion: Portion,
  stopping: AbortSignal,
  started: (run: StartedRun) => void,
): Promise<number> {
  const { store, clock } = platform
  const due = await dueCrons(store.db, clock.now(), portion)
  for (const cron of due) {
    if (stopping.aborted) break
    const now = clock.now()
    const minuteOf = cron.next_run_at ?? now
    const run = newId('run')
    // The next run must be later than this minute, even if the clock was set back.
    const next = nextRun(cron.schedule, Math.max(now, minuteOf))
    // Runs that were missed while no worker ran are skipped, and those of a suspended project.
    const missed = now >= minuteOf + minuteMs
    const isLeftOut = missed || (await suspensionOf(store.db, cron.project_id)) !== undefined
    const claim = { next, now, run: isLeftOut ? null : run, until: now + heldMs }
    const taken = await claimDue(store.db, cron, claim)
    if (taken) started({ projectId: cron.project_id, done: execute(platform, cron, run, stopping) })
  }
  return due.length
}

/** Runs the job now, in addition to its schedule. */
export async function runNow(platform: CronParts, projectId: string, id: string): Promise<CronRun> {
  const { store, clock } = platform
  await requireNotSuspended(store.db, projectId)
  const cron = await findCron(store.db, projectId, id)
  if (!cron) throw new Fault('not_found', 'There is no such scheduled job.')
  const now = clock.now()
  const run = newId('run')
  if (!(await claimNow(store.db, id, { now, run, until: now + heldMs })))
    throw new Fault('run_under_way', 'The job is running at the moment. Try again when it is done.')
  return describeRun(await execute(platform, cron, run, new AbortController().signal))
}

async function execute(
  platform: CronParts,
  cron: CronOfProject,
  run: string,
  stopping: AbortSignal,
): Promise<CronRunRow> {
  const started_at = platform.clock.now()
  const outcome = await request(platform, cron, stopping)
  const duration_ms = Math.max(0, platform.clock.now() - started_at)
  const row = { id: run, cron_id: cron.id, started_at, duration_ms, ...outcome }
  await platform.store.transact(async (tx, changed) => {
    await endRun(tx, row, limits.cronRuns)
    if (!stopping.aborted) await tellOf(tx, cron, row)
    await changed({ topic: 'cron', key: cron.project_name })
  })
  return row
}

/** People are told when a job begins to fail, and when it works again. */
async function tellOf(tx: Tx, cron: CronOfProject, { status, error, started_at }: CronRunRow): Promise<void> {
  const happened = {
    event: 'cron.failed',
    projectId: cron.project_id,
    subject: cron.id,
    facts: { method: cron.method, path: cron.path, status },
    page: '/crons',
  } as const
  const job = `the scheduled job ${cron.method} ${cron.path}`
  if (status !== null && status < 400)
    await notifyOfRecovery(tx, started_at, { ...happened, words: `${job} works again.` })
  else
    await notifyOfProblem(tx, started_at, {
      ...happened,
      words: status === null ? `${job} failed.` : `${job} failed with status ${status}.`,
      error,
    })
}

async function request(
  platform: CronParts,
  cron: CronOfProject,
  stopping: AbortSignal,
): Promise<Pick<CronRunRow, 'status' | 'error'>> {
  const limit = platform.clock.timeout(timeLimitMs)
  try {
    const sent = await signedRequest(platform, cron)
    return {
      status: await withAnySignal([stopping, limit], either => platform.callSite(sent, either)),
      error: null,
    }
  } catch (error) {
    return { status: null, error: problem(error, { stopping, limit }) }
  }
}

async function signedRequest(
  platform: Rows & Vault & Pick<Platform, 'version'>,
  { id, project_id, project_name: project, method, path }: CronOfProject,
): Promise<SiteRequest> {
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
  return { project, method, path, headers }
}

function problem(error: unknown, { stopping, limit }: Record<'stopping' | 'limit', AbortSignal>): string {
  if (limit.aborted) return 'There was no answer within 60 seconds.'
  if (stopping.aborted) return 'The platform was stopped before the answer came.'
  return `The request failed: ${error instanceof Error ? error.message : error}`.slice(0, 500)
}

export const describeRun = (row: CronRunRow): CronRun => ({
  started_at: isoTime(row.started_at),
  duration_ms: row.duration_ms,
  status: row.status,
  error: row.error,
})
