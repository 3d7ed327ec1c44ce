// Reports builds to the git host: a status of the commit, and at GitHub a deployment.
import type { BuildStatus } from '@svc/contract'
import { GitHostError } from '../../ports/git-hosts/port.ts'
import { GitHubError } from '../../ports/github/port.ts'
import { findBuild } from '../../store/builds/builds.ts'
import { markPullsStale } from '../../store/builds/github/reports.ts'
import { findProjectRepo } from '../../store/builds/repositories.ts'
import { findProjectById } from '../../store/projects/projects.ts'
import type { GitHubReportRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { tellDeployment } from './github/reports.ts'
import type { NotBuilt } from './pushes.ts'
import { describe, words } from './report-words.ts'
import { githubSource, type RemoteHosts, type RemoteSource, remoteSource } from './source.ts'

/** Leaves out reports for which the App or the token has no permission. The other reports are still sent. */
async function asFarAsAllowed(ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (error) {
    const isOfHost = error instanceof GitHubError || error instanceof GitHostError
    if (!isOfHost || (error.kind !== 'refused' && error.kind !== 'missing')) throw error
  }
}

/** Reports why a project did not build the commit, unless the project's own settings are the reason. */
export async function tellNotBuilt(
  platform: Pick<Platform, 'urls'>,
  source: RemoteSource,
  sha: string,
  { project, why }: NotBuilt,
): Promise<void> {
  if (why.kind === 'setting') return
  await asFarAsAllowed(() =>
    source.setStatus(sha, {
      // A check that is required for a merge needs a status even if there was nothing to build.
      state: why.kind === 'skipped' ? 'success' : 'error',
      context: `svc/${project}`,
      description: `Not built: ${why.text}.`,
      targetUrl: `${platform.urls.dashboard}/projects/${project}/git`,
    }),
  )
}

/** Returns the status that the git host has now. `undefined` if there is nothing to report to. */
export async function tellStatus(
  platform: RemoteHosts & Pick<Platform, 'urls'>,
  report: GitHubReportRow,
): Promise<BuildStatus | undefined> {
  const { db } = platform.store
  const build = await findBuild(db, report.build_id)
  const project = build && (await findProjectById(db, build.project_id))
  const repo = build && (await findProjectRepo(db, build.project_id))
  if (!build || !project || repo?.repository_id !== report.repository_id) return undefined
  const source = await remoteSource(platform, repo)
  if (!source) return undefined
  const about = await describe(platform, build, project.name)
  const { status: state } = words[build.status]
  // If the deployment was reported to GitHub, its end is reported, too.
  const deployment = words[build.status].deployment ?? (report.deployment_id === null ? undefined : 'error')
  await asFarAsAllowed(() =>
    source.setStatus(build.commit_sha, {
      state,
      context: `svc/${project.name}`,
      description: about.description,
      targetUrl: about.logUrl,
    }),
  )
  const atGitHub = await githubSource(platform, repo)
  if (atGitHub && deployment)
    await asFarAsAllowed(() =>
      tellDeployment(platform, atGitHub, { report, build, state: deployment, ...about }),
    )
  await markPullsStale(db, report.repository_id, build.branch)
  return build.status
}
