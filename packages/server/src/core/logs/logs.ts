// The log of a project's server app: its lines, and whether it runs.
import { type LogLine as AnsweredLine, limits } from '@svc/contract'
import { dayMs, minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { nanosOfMs, nanosOfUnixSeconds, rfc3339, unixSecondsOf } from '../../lib/nanoseconds.ts'
import { bytesOf, type LogLine, type LogRange } from '../../ports/app-logs/port.ts'
import { findActive } from '../../store/apps/instances.ts'
import { findDeployment, newestOfBranch, recentDeployments } from '../../store/deployments/deployments.ts'
import {
  findLastStop,
  findLogNodes,
  type LogPlace,
  loggedDeployments,
  newestDeploymentOf,
} from '../../store/logs/app-logs.ts'
import { deleteOldLogRequests } from '../../store/logs/log-requests.ts'
import { type ProjectWithOrg, projectsAmong } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import type { AppInstanceRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTimeOrNull } from '../base/times.ts'
import type { LogFilter } from './filter.ts'
import { levelOf } from './levels.ts'
import { askNode } from './log-requests.ts'

interface LogRequest extends LogFilter {
  tail: number
  /** The log of this branch's previews. `undefined`: that of production. */
  branch?: string | undefined
  since?: string | undefined
  until?: string | undefined
  timestamps?: '0' | '1' | undefined
  details?: '1' | undefined
}

export interface LogAnswer {
  state: 'running' | 'stopped' | 'unreachable'
  logs: string
  stopped_at: string | null
  lines?: AnsweredLine[]
  next_since?: string
}

/** Lines of older deployments than these are not looked for. */
const deploymentsAtMost = 1_000
/** If no runner claims an instance within this time, no runner is available. */
const takenWithinMs = 10_000
/** After an app moved to another node, the logs of the old node are still read for this long. */
const lastWordsWithinMs = 60_000
const clocksDifferMs = 1_000
/** Lines of the last moments may not be written yet, so a reader looks at them again. */
const unsettledMs = 5_000

export async function readLogs(
  platform: Rows & Pick<Platform, 'logs' | 'nodeId'>,
  project: ProjectWithOrg,
  request: LogRequest,
): Promise<LogAnswer> {
  const { db } = platform.store
  const place = await placeOf(db, project, request)
  const server = place.branch === undefined ? await serverOf(platform, project) : await previewOf(db, place)
  const { rows: active } = await findActive(db, server)
  const last = await findLastStop(db, place)
  const stopped_at = isoTimeOrNull(last?.ended_at ?? null)
  const isRunning = active.length > 0
  // An app that does not run writes no new lines. Without details, old lines are not requested with `since`.
  if (!isRunning && request.since !== undefined && !request.details)
    return { state: 'stopped', logs: '', stopped_at }
  const isForgotten = active.some(row => isTakenByNobody(row, platform.clock.now()))
  const needed = active.flatMap(row => row.node_id ?? [])
  if (needed.length === 0) needed.push(last?.node_id ?? platform.nodeId)
  const lines = isForgotten
    ? undefined
    : await linesOf(platform, project, { place, needed, isRunning }, request)
  if (!lines) return { state: 'unreachable', logs: '', stopped_at }
  const state = isRunning ? 'running' : 'stopped'
  if (request.details) return { state, logs: '', stopped_at, ...detailsOf(lines, platform.clock.now()) }
  return { state, logs: writeLines(lines, request.timestamps === '1'), stopped_at }
}

function detailsOf(lines: LogLine[], now: number): Required<Pick<LogAnswer, 'lines' | 'next_since'>> {
  const last = lines.at(-1)?.at ?? nanosOfMs(now - unsettledMs)
  return { lines: lines.map(describe), next_since: unixSecondsOf(last) }
}

const describe = (line: LogLine): AnsweredLine => ({
  at: rfc3339(line.at),
  stream: line.source,
  level: levelOf(line),
  deployment_id: line.deploymentId,
  instance_id: line.instanceId,
  text: line.text,
})

/** A preview's deployment, or a branch that has previews, means the log of that branch. */
async function placeOf(db: Db, { id }: ProjectWithOrg, request: LogRequest): Promise<LogPlace> {
  const production = { projectId: id, branch: undefined }
  if (request.branch !== undefined) {
    const newest = await newestDeploymentOf(db, id, request.branch)
    if (newest === undefined)
      throw new Fault('not_found', `The branch ${request.branch} has no deployment, so there is no log.`)
    return newest.branch_slug === null ? production : { projectId: id, branch: request.branch }
  }
  if (request.deployment === undefined) return production
  const wanted = await findDeployment(db, id, request.deployment)
  const isProduction = wanted === undefined || wanted.status === 'live' || wanted.status === 'superseded'
  if (isProduction || wanted.branch_slug === null || wanted.git_branch === null) return production
  return { projectId: id, branch: wanted.git_branch }
}

/** The deployment at the URL of a branch, or the newest one if none got there. It must be a server. */
async function previewOf(db: Db, { projectId, branch = '' }: LogPlace): Promise<string> {
  const preview =
    (await newestOfBranch(db, projectId, branch)) ?? (await newestDeploymentOf(db, projectId, branch))
  if (preview?.kind === 'server') return preview.id
  throw new Fault('not_a_server', `The preview of ${branch} is static: it runs no program and has no log.`)
}

/** The live deployment, or the latest if none is live. It must be a server. */
async function serverOf(platform: Pick<Platform, 'store'>, project: ProjectWithOrg): Promise<string> {
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

/** An instance that waits after a crash may not be claimed yet. */
const isTakenByNobody = (row: AppInstanceRow, now: number): boolean =>
  row.state === 'wanted' &&
  row.node_id === null &&
  now - Math.max(row.created_at, row.not_before) > takenWithinMs

/** The lines of all nodes that have logs of the project. `undefined` if no needed node answers. */
async function linesOf(
  platform: Rows & Pick<Platform, 'logs' | 'nodeId'>,
  project: ProjectWithOrg,
  { place, needed, isRunning }: { place: LogPlace; needed: string[]; isRunning: boolean },
  request: LogRequest,
): Promise<LogLine[] | undefined> {
  const { db } = platform.store
  const now = platform.clock.now()
  const nodes = [...new Set([...needed, ...(await findLogNodes(db, place, now - lastWordsWithinMs))])]
  // Clocks of nodes differ. Very new lines are left for the next request, because they could hide lines of another node.
  const settled = isRunning && nodes.length > 1 ? nanosOfMs(now - clocksDifferMs) : undefined
  const { deployment, instance, stream, level, search } = request
  const wish = {
    projectId: project.id,
    filter: { deployment, instance, stream, level, search },
    tail: request.tail,
    bytes: limits.logsAnswerBytes,
    since: request.since === undefined ? undefined : nanosOfUnixSeconds(request.since),
    until: earlier(request.until === undefined ? undefined : nanosOfUnixSeconds(request.until), settled),
    deployments: await loggedDeployments(db, place, project, deploymentsAtMost),
  }
  const answers = await Promise.all(nodes.map(node => askNode(platform, node, wish)))
  if (!nodes.some((node, i) => answers[i] && needed.includes(node))) return undefined
  return nodes.length === 1
    ? answers[0]
    : newestOf(
        answers.flatMap(lines => lines ?? []),
        wish,
      )
}

/** Returns the newest lines that fit, oldest first. */
function newestOf(lines: LogLine[], { tail, bytes }: Pick<LogRange, 'tail' | 'bytes'>): LogLine[] {
  const newest: LogLine[] = []
  let room = bytes
  for (const line of lines.sort((a, b) => (a.at > b.at ? -1 : 1))) {
    room -= bytesOf(line)
    if (room < 0 || newest.length === tail) break
    newest.push(line)
  }
  return newest.reverse()
}

const earlier = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

const writeLines = (lines: LogLine[], withTimes: boolean): string =>
  lines.map(({ at, text }) => (withTimes ? `${rfc3339(at)} ${text}\n` : `${text}\n`)).join('')

/** Deletes old logs and logs of deleted projects on this node. */
export async function sweepLogs(
  platform: Pick<Platform, 'logs' | 'store' | 'clock'>,
  days: number,
): Promise<void> {
  const { logs, store, clock } = platform
  await logs.removeOlder(clock.now() - days * dayMs)
  await deleteOldLogRequests(store.db, clock.now() - minuteMs)
  for await (const ids of inBatches(logs.projects(), 500)) {
    const existing = await projectsAmong(store.db, ids)
    for (const id of ids) if (!existing.has(id)) await logs.remove(id)
  }
}
