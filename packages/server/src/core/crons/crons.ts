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
  setEnabled,
} from '../../store/crons/crons.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { CronRow } from '../../store/tables.ts'
import type { Caller } from '../identity/callers.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { audit } from '../platform/audit.ts'
import type { Platform, Rows } from '../platform/platform.ts'
import { isoTime, isoTimeOrNull } from '../platform/times.ts'
import { describeRun } from './run.ts'
import { nextRun, readSchedule } from './schedule.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

type LastRun = Awaited<ReturnType<typeof lastRuns>>[number]

export async function cronsOf(platform: Pick<Platform, 'store'>, project: ProjectScope): Promise<Cron[]> {
  const { db } = platform.store
  const rows = await listCrons(db, project.id)
  const last = new Map((await lastRuns(db, project.id)).map(run => [run.cron_id, run]))
  return rows.map(row => describe(row, last.get(row.id)))
}

export async function createCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  input: { schedule: string; path: string; method?: string | undefined },
): Promise<Cron> {
  const now = platform.clock.now()
  const schedule = readSchedule(input.schedule, now)
  const row: CronRow = {
    id: newId('cron'),
    project_id: project.id,
    schedule,
    path: checkPath(input.path),
    method: checkMethod(input.method ?? 'GET'),
    enabled: 1,
    created_at: now,
    next_run_at: nextRun(schedule, now),
    running: null,
    running_until: null,
  }
  await platform.store.transact(async tx => {
    // Held, so that two new jobs do not pass the limit together.
    if (!(await lockProject(tx, project.id)))
      throw new Fault('not_found', 'The project has just been deleted.')
    if ((await countCrons(tx, project.id)) >= limits.crons)
      throw new Fault('invalid_request', `A project may have at most ${limits.crons} scheduled jobs.`)
    await insertCron(tx, row)
    const details = { schedule, path: row.path, method: row.method }
    await audit(platform, tx, caller, { action: 'cron.create', project, target: row.id, details })
  })
  return describe(row, undefined)
}

/** A job that is enabled begins with the next minute that its schedule names. */
export async function enableCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
  enabled: boolean,
): Promise<Cron> {
  return await platform.store.transact(async tx => {
    const cron = await findCron(tx, project.id, id)
    if (!cron) throw noSuchCron(id)
    const next_run_at = enabled ? nextRun(cron.schedule, platform.clock.now()) : null
    const change = { enabled: enabled ? 1 : 0, next_run_at }
    if (cron.enabled !== change.enabled) {
      await setEnabled(tx, id, change)
      const action = enabled ? 'cron.enable' : 'cron.disable'
      await audit(platform, tx, caller, { action, project, target: id, details: { path: cron.path } })
    }
    const last = (await lastRuns(tx, project.id)).find(run => run.cron_id === id)
    return describe({ ...cron, ...change }, last)
  })
}

export async function removeCron(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    const cron = await findCron(tx, project.id, id)
    if (!cron) throw noSuchCron(id)
    await deleteCron(tx, id)
    const details = { path: cron.path }
    await audit(platform, tx, caller, { action: 'cron.delete', project, target: id, details })
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
