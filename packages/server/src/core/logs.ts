// The log of a project's server app: its lines, and whether it runs.
import { limits } from '@svc/contract'
import { Fault } from '../lib/fault.ts'
import { nanosOfUnixSeconds, rfc3339 } from '../lib/nanoseconds.ts'
import type { LogLine } from '../ports/app-logs/port.ts'
import { findActive } from '../store/app-instances.ts'
import { findLastStop, productionDeployments, projectsAmong } from '../store/app-logs.ts'
import { findDeployment, recentDeployments } from '../store/deployments.ts'
import { deleteOldLogRequests } from '../store/log-requests.ts'
import type { ProjectWithOrg } from '../store/projects.ts'
import type { AppInstanceRow } from '../store/tables.ts'
import { askNode } from './log-requests.ts'
import type { Platform } from './platform.ts'
import { isoTimeOrNull } from './times.ts'

export interface LogRequest {
  tail: number
  since?: string | undefined
  until?: string | undefined
  timestamps?: '1' | undefined
}

export interface LogAnswer {
  state: 'running' | 'stopped' | 'unreachable'
  logs: string
  stopped_at: string | null
}

/** Lines of older deployments than these are not looked for. */
const deploymentsAtMost = 1_000
/** An instance that no runner takes for so long has none. */
const takenWithinMs = 10_000
const minute = 60_000
const day = 86_400_000

export async function readLogs(
  platform: Platform,
  project: ProjectWithOrg,
  request: LogRequest,
): Promise<LogAnswer> {
  const { db } = platform.store
  const { rows: active } = await findActive(db, await serverOf(platform, project))
  const [last] = (await findLastStop(db, project.id)).rows
  const stopped_at = isoTimeOrNull(last?.ended_at ?? null)
  const isRunning = active.length > 0
  // Nothing new comes from an app that does not run, and its tail is not for those who ask for what is new.
  if (!isRunning && request.since !== undefined) return { state: 'stopped', logs: '', stopped_at }
  const node = active.find(row => row.node_id !== null)?.node_id ?? last?.node_id ?? platform.nodeId
  const isForgotten = active.some(row => isTakenByNobody(row, platform.clock.now()))
  const lines = isForgotten ? undefined : await linesOf(platform, project, node, request)
  if (!lines) return { state: 'unreachable', logs: '', stopped_at }
  const logs = writeLines(lines, request.timestamps === '1')
  return { state: isRunning ? 'running' : 'stopped', logs, stopped_at }
}

/** The active deployment, or before there is one the latest, where it is a server. */
async function serverOf(platform: Platform, project: ProjectWithOrg): Promise<string> {
  const { db } = platform.store
  const { active_deployment_id: id } = project
  const deployment = id
    ? await findDeployment(db, project.id, id)
    : (await recentDeployments(db, project.id, 1))[0]
  if (deployment?.kind === 'server') return deployment.id
  throw new Fault(
    'not_a_server',
    deployment
      ? 'This is a static site: it runs no program and has no log.'
      : 'Nothing has been deployed yet, so there is no log.',
  )
}

/** What waits after a crash may not be taken yet. */
const isTakenByNobody = (row: AppInstanceRow, now: number): boolean =>
  row.state === 'wanted' &&
  row.node_id === null &&
  now - Math.max(row.created_at, row.not_before) > takenWithinMs

/** Of the node that keeps them; undefined where it does not answer. */
async function linesOf(
  platform: Platform,
  project: ProjectWithOrg,
  node: string,
  request: LogRequest,
): Promise<LogLine[] | undefined> {
  const deployments = await productionDeployments(platform.store.db, project, deploymentsAtMost)
  const wish = {
    projectId: project.id,
    tail: request.tail,
    bytes: limits.logsAnswerBytes,
    since: request.since === undefined ? undefined : nanosOfUnixSeconds(request.since),
    until: request.until === undefined ? undefined : nanosOfUnixSeconds(request.until),
  }
  if (node !== platform.nodeId) return await askNode(platform, node, { ...wish, deployments })
  return await platform.logs.read({ ...wish, deployments: id => deployments.has(id) })
}

const writeLines = (lines: LogLine[], withTimes: boolean): string =>
  lines.map(({ at, text }) => (withTimes ? `${rfc3339(at)} ${text}\n` : `${text}\n`)).join('')

/** What is too old, and what a project left that is gone. Only where the apps run. */
export async function sweepLogs(
  platform: Pick<Platform, 'logs' | 'store' | 'clock'>,
  days: number,
): Promise<void> {
  const { logs, store, clock } = platform
  await logs.removeOlder(clock.now() - days * day)
  await deleteOldLogRequests(store.db, clock.now() - minute)
  for await (const id of logs.projects())
    if (!(await projectsAmong(store.db, [id])).has(id)) await logs.remove(id)
}
