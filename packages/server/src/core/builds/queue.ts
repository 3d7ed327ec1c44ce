// The queue of builds: adds builds, cancels builds that a newer commit replaces, and cancels on request.
import type { Build } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import {
  cancelBuilds,
  cancelQueued,
  findBuild,
  insertBuild,
  listBuilds,
  readBuildLog,
} from '../../store/builds/builds.ts'
import { insertReport } from '../../store/builds/github/reports.ts'
import { positionsInQueue } from '../../store/builds/queue.ts'
import { findProjectRepo } from '../../store/builds/repositories.ts'
import type { Changed, Db, Tx } from '../../store/store.ts'
import type { BuildRow, GitHubReportRow, ProjectRepoRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { takesReports } from './source.ts'

const messageLength = 500

export interface NewBuild {
  repo: Pick<ProjectRepoRow, 'project_id' | 'branch' | 'repository_id' | 'installation_id' | 'host'>
  branch: string
  commit: GitCommit
  requestedBy: string | null
  /** From a pull request of a fork: never production, and without secrets. */
  fromFork?: boolean | undefined
  /** Someone asked for this build. It goes live also while production is locked. */
  isAskedFor?: boolean
  /** A chosen commit, perhaps an older one. Builds of other commits stay in the queue. */
  isChosen?: boolean
}

/** Cancels queued builds of older commits of the same branch. */
export async function queueBuild(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  changed: Changed,
  { repo, branch, commit, requestedBy, fromFork = false, isAskedFor = false, isChosen = false }: NewBuild,
): Promise<BuildRow> {
  const now = platform.clock.now()
  const words = { now, error: 'A newer commit of this branch was pushed.' }
  if (!isChosen)
    for (const id of await cancelQueued(tx, { projectId: repo.project_id, branch }, words))
      await changed({ topic: 'build', key: id })
  const row: BuildRow = {
    id: newId('bld'),
    project_id: repo.project_id,
    status: 'queued',
    branch,
    is_production: branch === repo.branch && !fromFork ? 1 : 0,
    commit_sha: commit.sha,
    commit_message: shortened(commit.message),
    author: shortened(commit.author),
    deployment_id: null,
    requested_by: requestedBy,
    created_at: now,
    started_at: null,
    finished_at: null,
    error: null,
    node_id: null,
    lease_until: null,
    attempts: 0,
    cancel_requested: 0,
    from_fork: fromFork ? 1 : 0,
    asked_for: isAskedFor ? 1 : 0,
    retries: 0,
    retry_at: null,
  }
  await insertBuild(tx, row)
  if (takesReports(repo) && repo.repository_id !== null)
    await insertReport(tx, newReport(row.id, repo.repository_id))
  await changed({ topic: 'build', key: row.id })
  return row
}

/** The git host knows nothing of the build yet. */
const newReport = (buildId: string, repositoryId: string): GitHubReportRow => ({
  ...{ build_id: buildId, repository_id: repositoryId, told: '' },
  ...{ deployment_id: null, next_at: 0, attempts: 0 },
})

/** PostgreSQL can store every character except NUL. */
const shortened = (text: string): string => text.replaceAll('\0', '').slice(0, messageLength)

export async function requireRepo(db: Db, project: ProjectScope): Promise<ProjectRepoRow> {
  const repo = await findProjectRepo(db, project.id)
  if (!repo)
    throw new Fault(
      'not_found',
      `The project '${project.name}' has no repository. Connect one: svc git connect <owner/repo>`,
    )
  return repo
}

export async function cancelBuild(
  platform: Rows,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<void> {
  await projectBuild(platform, project, id)
  await endBuild(platform, caller, project, id)
}

/** The caller has the right to cancel the builds of this project. */
export async function endBuild(
  platform: Rows,
  caller: Caller,
  project: Pick<ProjectScope, 'id' | 'org_id'>,
  id: string,
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const end = { now: platform.clock.now(), error: `${caller.account.login} cancelled it.` }
    if ((await cancelBuilds(tx, { id }, end)).length === 0)
      throw new Fault('build_finished', whyNotCancelled(await findBuild(tx, id)))
    await audit(platform, tx, caller, { action: 'build.cancel', project, target: id })
    await changed({ topic: 'build', key: id })
  })
}

const whyNotCancelled = (build: BuildRow | undefined): string =>
  build?.status === 'building'
    ? 'The build cannot be cancelled any more: its deployment is online.'
    : `The build has ended already: it is ${build?.status ?? 'deleted'}.`

export async function projectBuild(
  platform: Pick<Platform, 'store'>,
  project: ProjectScope,
  id: string,
): Promise<BuildRow> {
  const build = await findBuild(platform.store.db, id)
  if (build?.project_id !== project.id)
    throw new Fault('not_found', `There is no build '${id.slice(0, 60)}' in this project.`)
  return build
}

export async function showBuild(platform: Rows, project: ProjectScope, id: string): Promise<Build> {
  const row = await projectBuild(platform, project, id)
  return describeBuild(row, await queuePositions(platform, [row]))
}

export async function buildsOf(
  platform: Rows,
  project: ProjectScope,
  page: Parameters<typeof listBuilds>[2],
) {
  const { rows, next_cursor } = await listBuilds(platform.store.db, project.id, page)
  const positions = await queuePositions(platform, rows)
  return { builds: rows.map(row => describeBuild(row, positions)), next_cursor }
}

/**
 * Returns the log from an offset in bytes, so that a client can fetch only the new part. With `timestamps`, each line begins with
 * its time, which the offset does not count.
 */
export async function buildLog(
  db: Db,
  id: string,
  { offset, timestamps }: { offset: number; timestamps: boolean },
): Promise<Buffer> {
  const parts = await readBuildLog(db, id, offset)
  return Buffer.concat(
    parts.map(({ at, text, written_at }) => {
      const bytes = Buffer.from(text).subarray(Math.max(0, offset - at))
      return timestamps ? withTime(bytes, written_at) : bytes
    }),
  )
}

function withTime(bytes: Buffer, at: number | null): Buffer {
  const time = at === null ? '-' : isoTime(at)
  const lines = bytes.toString().split('\n')
  const rest = lines.pop()
  const whole = lines.map(line => `${time} ${line}\n`).join('')
  return Buffer.from(rest ? `${whole}${time} ${rest}` : whole)
}

/** Of the builds among these that are queued. */
export function queuePositions(platform: Rows, rows: readonly BuildRow[]): Promise<Map<string, number>> {
  const queued = rows.filter(row => row.status === 'queued').map(row => row.id)
  return positionsInQueue(platform.store.db, queued, platform.clock.now())
}

export function describeBuild(row: BuildRow, positions: ReadonlyMap<string, number>): Build {
  const position = positions.get(row.id)
  return {
    id: row.id,
    status: row.status,
    branch: row.branch,
    commit_sha: row.commit_sha,
    commit_message: row.commit_message,
    author: row.author,
    deployment_id: row.deployment_id,
    created_at: isoTime(row.created_at),
    started_at: isoTimeOrNull(row.started_at),
    finished_at: isoTimeOrNull(row.finished_at),
    error: row.error,
    ...(position !== undefined && { position }),
  }
}
