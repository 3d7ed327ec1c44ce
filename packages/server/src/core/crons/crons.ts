// Scheduled jobs of a project: a path of its site that is requested at certain minutes.
import { type Cron, type CronRun, limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import {
  countCrons,
  deleteCron,
  findCron,
  insertCron,
  lastRuns,
  listCrons,
  listRuns,
  updateCron as updateRow,
} from '../../store/crons/crons.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { CronRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { describeRun } from './run.ts'
import { nextRun, nextRuns, readSchedule } from './schedule.ts'

const shownRuns = 5
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

type LastRun = Awaited<ReturnType<typeof lastRuns>>[number]

export async function cronsOf(platform: Pick<Platform, 'store'>, project: ProjectScope): Promise<Cron[]> {
  const { db } = platform.store
  const rows = await listCrons(db, project.id)
  const last = new Map((await lastRuns(db, project.id)).map(run => [run.cron_id, run]))
  return rows.map(row => describe(row, last.get(row.id)))
}

interface NewCron {
  schedule: string
  path: string
  method?: string | undefined
  enabled?: boolean
}

/** Throws a fault if svcd cannot run it. */
export function newCron(projectId: string, { enabled = true, ...input }: NewCron, now: number): CronRow {
  const schedule = readSchedule(input.schedule, now)
  return {
    id: newId('cron'),
    project_id: projectId,
    schedule,
    path: checkPath(input.path),
    method: checkMethod(input.method ?? 'GET'),
    enabled: enabled ? 1 : 0,
    created_at: now,
    next_run_at: enabled ? nextRun(schedule, now) : null,
    running: null,
    running_until: null,
  }
}

export async function createCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  input: NewCron,
): Promise<Cron> {
  const row = newCron(project.id, input, platform.clock.now())
  const { schedule } = row
  await platform.store.transact(async (tx, changed) => {
    // Held, so that two new jobs do not pass the limit together.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    if ((await countCrons(tx, project.id)) >= limits.crons)
      throw new Fault('invalid_request', `A project may have at most ${limits.crons} scheduled jobs.`)
    await insertCron(tx, row)
    const details = { schedule, path: row.path, method: row.method }
    await audit(platform, tx, caller, { action: 'cron.create', project, target: row.id, details })
    await changed({ topic: 'cron', key: project.name })
  })
  return describe(row, undefined)
}

interface CronChange {
  enabled?: boolean | undefined
  schedule?: string | undefined
  path?: string | undefined
  method?: string | undefined
}

/** A job with another schedule, or one that is enabled again, begins with the next minute that its schedule names. */
export async function updateCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
  input: CronChange,
): Promise<Cron> {
  const now = platform.clock.now()
  const { enabled } = input
  const given = {
    ...(input.schedule !== undefined && { schedule: readSchedule(input.schedule, now) }),
    ...(input.path !== undefined && { path: checkPath(input.path) }),
    ...(input.method !== undefined && { method: checkMethod(input.method) }),
  }
  if (enabled === undefined && Object.keys(given).length === 0)
    throw new Fault('invalid_request', 'Nothing to change: send enabled, schedule, path or method.')
  return await platform.store.transact(async (tx, changed) => {
    // The project is locked, so that two changes at the same time do not overwrite each other's next run.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    const before = await findCron(tx, project.id, id)
    if (!before) throw noSuchCron(id)
    const { next_run_at, ...after } = withChange(before, given, enabled, now)
    const differs = (key: keyof typeof after) => before[key] !== after[key]
    if (differs('enabled') || differs('schedule') || differs('path') || differs('method'))
      await updateRow(tx, id, { ...after, next_run_at })
    await changed({ topic: 'cron', key: project.name })
    if (differs('schedule') || differs('path') || differs('method')) {
      const details = { schedule: after.schedule, path: after.path, method: after.method }
      await audit(platform, tx, caller, { action: 'cron.update', project, target: id, details })
    }
    if (differs('enabled')) {
      const action = after.enabled ? 'cron.enable' : 'cron.disable'
      await audit(platform, tx, caller, { action, project, target: id, details: { path: after.path } })
    }
    const last = (await lastRuns(tx, project.id)).find(run => run.cron_id === id)
    return describe({ ...before, ...after, next_run_at }, last)
  })
}

/** The next run stays as it is where the change does not concern it: a minute that is just due is not skipped. */
function withChange(before: CronRow, given: Partial<CronRow>, enabled: boolean | undefined, now: number) {
  const { schedule, path, method, next_run_at } = { ...before, ...given }
  const on = enabled === undefined ? before.enabled : enabled ? 1 : 0
  const sameTimes = on === before.enabled && schedule === before.schedule
  const next = on ? nextRun(schedule, now) : null
  return { schedule, path, method, enabled: on, next_run_at: sameTimes ? next_run_at : next }
}

/** The next runs of a schedule that is perhaps not saved yet. */
export function upcomingOf(platform: Pick<Platform, 'clock'>, text: string) {
  const now = platform.clock.now()
  const schedule = readSchedule(text, now)
  return { schedule, next_runs: nextRuns(schedule, now, shownRuns).map(isoTime) }
}

export async function removeCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const cron = await findCron(tx, project.id, id)
    if (!cron) throw noSuchCron(id)
    await deleteCron(tx, id)
    const details = { path: cron.path }
    await audit(platform, tx, caller, { action: 'cron.delete', project, target: id, details })
    await changed({ topic: 'cron', key: project.name })
  })
}

/** Newest first. */
export async function runsOf(
  platform: Pick<Platform, 'store'>,
  project: ProjectScope,
  id: string,
): Promise<CronRun[]> {
  const { db } = platform.store
  if (!(await findCron(db, project.id, id))) throw noSuchCron(id)
  return (await listRuns(db, id, limits.cronRuns)).map(describeRun)
}

function checkPath(path: string): string {
  if (!/^\/(?!\/)[!-~]*$/.test(path) || path.includes('#') || path.includes('\\'))
    throw new Fault(
      'invalid_request',
      'path: must be a path of the site, percent-encoded, with its query if it has one, such as /api/tidy?full=1',
    )
  return path
}

function checkMethod(text: string): string {
  const method = text.toUpperCase()
  if (!methods.includes(method))
    throw new Fault('invalid_request', `method: must be one of ${methods.join(', ')}`)
  return method
}

const describe = (row: CronRow, last: LastRun | undefined): Cron => ({
  id: row.id,
  schedule: row.schedule,
  path: row.path,
  method: row.method,
  enabled: row.enabled === 1,
  created_at: isoTime(row.created_at),
  last_run_at: isoTimeOrNull(last?.started_at ?? null),
  last_status: last?.status ?? null,
  next_run_at: isoTimeOrNull(row.next_run_at),
})

const noSuchCron = (id: string): Fault =>
  new Fault('not_found', `There is no scheduled job '${id.slice(0, 40)}' in this project.`)
