// A deployment as the API shows it.
import type { Deployment } from '@svc/contract'
import { buildsOf } from '../../store/builds/builds.ts'
import type { DeploymentWithLogin } from '../../store/deployments/deployments.ts'
import type { BuildRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { decodeCommand, describeCommand } from './detection.ts'
import { frameworkOf } from './frameworks.ts'

/** Deployments with the builds that made them. */
export async function describeDeployments(
  platform: Pick<Platform, 'store' | 'urls'>,
  projectName: string,
  rows: readonly DeploymentWithLogin[],
): Promise<Deployment[]> {
  const builds = await buildsOf(
    platform.store.db,
    rows.map(({ id }) => id),
  )
  return rows.map(row => describeDeployment(platform, projectName, row, builds.get(row.id)))
}

const describeDeployment = (
  platform: Pick<Platform, 'urls'>,
  projectName: string,
  row: DeploymentWithLogin,
  build: BuildRow | undefined,
): Deployment => ({
  id: row.id,
  status: row.status,
  kind: row.kind,
  framework: row.framework && frameworkName(row.framework),
  start_command: row.start_command && describeCommand(decodeCommand(row.start_command)),
  release_command: row.start_command && row.release_command,
  node_version: row.node_version,
  created_at: isoTime(row.created_at),
  duration_ms: row.finished_at === null ? null : Math.max(0, row.finished_at - row.created_at),
  file_count: row.file_count,
  size_bytes: row.size_bytes,
  git_sha: row.git_sha,
  git_branch: row.git_branch,
  cli_version: row.cli_version,
  created_by: row.created_by_login,
  url: platform.urls.deployment(row.id, projectName),
  warnings: JSON.parse(row.warnings) as string[],
  error: row.error,
  build_id: build?.id ?? null,
  build_ms: build ? durationOf(build) : null,
  commit_message: build ? build.commit_message : row.commit_message,
  commit_author: build ? build.author : row.commit_author,
})

const durationOf = ({ started_at, finished_at }: BuildRow): number | null =>
  started_at === null || finished_at === null ? null : Math.max(0, Number(finished_at) - Number(started_at))

/** The names of the frameworks. A newer version of svcd may have stored one that is not here. */
export const frameworkName = (id: string): string => frameworkOf(id)?.name ?? id
