// Reports builds to GitHub: a status of the commit, a deployment, and one comment on each pull request.
import type { BuildStatus } from '@svc/contract'
import {
  type CommitStatus,
  type DeploymentStatus,
  type GitHub,
  GitHubError,
  type RepositoryAt,
} from '../../../ports/github/port.ts'
import { findBuild, latestBuild } from '../../../store/builds/builds.ts'
import { markPullsStale, noteDeploymentAtGitHub, updatePull } from '../../../store/builds/github/reports.ts'
import { connectedProjects, findProjectRepo } from '../../../store/builds/repositories.ts'
import { findDeployment } from '../../../store/deployments/deployments.ts'
import { findProjectById } from '../../../store/projects/projects.ts'
import type { Db } from '../../../store/store.ts'
import type { BuildRow, GitHubPullRow, GitHubReportRow } from '../../../store/tables.ts'
import { branchSlug } from '../../base/labels.ts'
import type { Platform } from '../../base/platform.ts'
import { isoTime } from '../../base/times.ts'
import type { NotBuilt } from '../pushes.ts'
import { type GitHubSource, githubSource } from '../source.ts'

interface Words {
  status: CommitStatus['state']
  /** `undefined`: a build that has not begun is no deployment. */
  deployment: DeploymentStatus['state'] | undefined
  /** In the comment. */
  shown: string
}

const words: Record<BuildStatus, Words> = {
  queued: { status: 'pending', deployment: undefined, shown: '🕓 Queued' },
  building: { status: 'pending', deployment: 'in_progress', shown: '🔨 Building' },
  succeeded: { status: 'success', deployment: 'success', shown: '✅ Ready' },
  failed: { status: 'failure', deployment: 'failure', shown: '❌ Failed' },
  cancelled: { status: 'error', deployment: undefined, shown: '⚪ Cancelled' },
}

/** Leaves out reports for which the App has no permission. The other reports are still sent. */
async function asFarAsAllowed(ask: () => Promise<void>): Promise<void> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof GitHubError) || (error.kind !== 'refused' && error.kind !== 'missing')) throw error
  }
}

/** Reports why a project did not build the commit, unless the project's own settings are the reason. */
export async function tellNotBuilt(
  platform: Pick<Platform, 'urls'>,
  { github, at }: GitHubSource,
  sha: string,
  { project, why }: NotBuilt,
): Promise<void> {
  if (why.kind === 'setting') return
  await asFarAsAllowed(() =>
    github.setStatus(at, sha, {
      // A check that is required for a merge needs a status even if there was nothing to build.
      state: why.kind === 'skipped' ? 'success' : 'error',
      context: `svc/${project}`,
      description: `Not built: ${why.text}.`,
      targetUrl: `${platform.urls.dashboard}/projects/${project}/git`,
    }),
  )
}

/** Returns the status that GitHub has now. `undefined` if there is nothing to report to. */
export async function tellStatus(
  platform: Pick<Platform, 'github' | 'store' | 'urls'>,
  report: GitHubReportRow,
): Promise<BuildStatus | undefined> {
  const { db } = platform.store
  const build = await findBuild(db, report.build_id)
  const project = build && (await findProjectById(db, build.project_id))
  const repo = build && (await findProjectRepo(db, build.project_id))
  if (!build || !project || repo?.repository_id !== report.repository_id) return undefined
  const source = await githubSource(platform, repo)
  if (!source) return undefined
  const { github, at } = source
  const about = await describe(platform, build, project.name)
  const { status: state } = words[build.status]
  // If the deployment was reported to GitHub, its end is reported, too.
  const deployment = words[build.status].deployment ?? (report.deployment_id === null ? undefined : 'error')
  await asFarAsAllowed(() =>
    github.setStatus(at, build.commit_sha, {
      state,
      context: `svc/${project.name}`,
      description: about.description,
      targetUrl: about.logUrl,
    }),
  )
  if (deployment)
    await asFarAsAllowed(() =>
      tellDeployment(platform, { github, at }, { report, build, state: deployment, ...about }),
    )
  await markPullsStale(db, report.repository_id, build.branch)
  return build.status
}

interface About {
  environment: string
  url: string
  logUrl: string
  description: string
}

async function describe(
  platform: Pick<Platform, 'store' | 'urls'>,
  build: BuildRow,
  project: string,
): Promise<About> {
  const isProduction = build.is_production === 1
  const isHeldBack = isProduction && (await wasHeldBack(platform.store.db, build))
  const descriptions: Record<BuildStatus, string> = {
    queued: 'Waiting in the queue.',
    building: 'Building.',
    succeeded: isHeldBack
      ? 'Built, not live: production is locked since a rollback.'
      : isProduction
        ? 'Deployed to production.'
        : 'The preview is ready.',
    failed: build.error ?? 'The build failed.',
    cancelled: build.error ?? 'Cancelled.',
  }
  return {
    environment: `${isProduction ? 'Production' : 'Preview'} – ${project}`,
    url: isHeldBack
      ? platform.urls.deployment(build.deployment_id ?? '', project)
      : isProduction
        ? platform.urls.site(project)
        : platform.urls.branch(branchSlug(build.branch, project), project),
    logUrl: `${platform.urls.dashboard}/projects/${project}/git/${build.id}`,
    description: descriptions[build.status],
  }
}

/** Whether production was locked when the build ended, so that it never was live. */
async function wasHeldBack(db: Db, { project_id, deployment_id }: BuildRow): Promise<boolean> {
  const deployment = deployment_id !== null && (await findDeployment(db, project_id, deployment_id))
  return deployment ? deployment.status === 'superseded' && deployment.superseded_at === null : false
}

async function tellDeployment(
  platform: Pick<Platform, 'store'>,
  { github, at }: { github: GitHub; at: RepositoryAt },
  {
    report,
    build,
    state,
    ...about
  }: { report: GitHubReportRow; build: BuildRow; state: DeploymentStatus['state'] } & About,
): Promise<void> {
  const { environment, description, logUrl, url } = about
  const id =
    report.deployment_id ??
    (await github.createDeployment(at, {
      sha: build.commit_sha,
      environment,
      isProduction: build.is_production === 1,
      description: build.commit_message?.split('\n')[0] ?? '',
      buildId: build.id,
    }))
  if (report.deployment_id === null) await noteDeploymentAtGitHub(platform.store.db, build.id, id)
  const environmentUrl = state === 'success' ? url : undefined
  await github.setDeploymentStatus(at, id, { state, description, logUrl, environmentUrl })
}

/** One comment for each pull request: found by its id, else by its marker, else written. The caller holds the pull request. */
export async function writeComment(
  platform: Pick<Platform, 'domain' | 'github' | 'store' | 'urls'>,
  pull: GitHubPullRow,
): Promise<void> {
  const { db } = platform.store
  const projects = await connectedProjects(db, pull.repository_id)
  const source = projects[0] && (await githubSource(platform, projects[0]))
  const rows = await Promise.all(
    projects.map(async ({ project_id, project_name }) => {
      const build = await latestBuild(db, project_id, pull.branch)
      return build && rowOf(build, project_name, await describe(platform, build, project_name))
    }),
  )
  const shown = rows.filter(row => row !== undefined)
  if (!source || shown.length === 0) return
  const { github, at } = source
  const marker = `<!-- svc pull request at ${platform.domain} -->`
  const body = [
    marker,
    '| Project | Status | Preview | Commit | Updated (UTC) |',
    '|---|---|---|---|---|',
    ...shown,
  ]
  const text = `${body.join('\n')}\n`
  const known = pull.comment_id ?? (await github.findComment(at, pull.number, marker))
  if (known !== undefined && (await github.editComment(at, known, text)))
    return await updatePull(db, pull, { comment_id: known })
  await updatePull(db, pull, { comment_id: await github.createComment(at, pull.number, text) })
}

/** The comment contains no text of the pull request's author. */
function rowOf(build: BuildRow, project: string, { url, logUrl }: About): string {
  const at = build.finished_at ?? build.started_at ?? build.created_at
  const preview = build.status === 'succeeded' ? `[Visit](${url})` : ''
  const status = `[${words[build.status].shown}](${logUrl})`
  const time = isoTime(at).slice(0, 16).replace('T', ' ')
  return `| **${project}** | ${status} | ${preview} | \`${build.commit_sha.slice(0, 10)}\` | ${time} |`
}
