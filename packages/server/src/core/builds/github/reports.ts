// Reports builds to GitHub beside the status of the commit: a deployment, and one comment on each pull request.
import type { DeploymentStatus } from '../../../ports/github/port.ts'
import { latestBuild } from '../../../store/builds/builds.ts'
import { noteDeploymentAtGitHub, updatePull } from '../../../store/builds/github/reports.ts'
import { connectedProjects } from '../../../store/builds/repositories.ts'
import type { BuildRow, GitHubPullRow, GitHubReportRow } from '../../../store/tables.ts'
import type { Platform } from '../../base/platform.ts'
import { isoTime } from '../../base/times.ts'
import { type About, describe, words } from '../report-words.ts'
import { type GitHubSource, githubSource } from '../source.ts'

export async function tellDeployment(
  platform: Pick<Platform, 'store'>,
  { github, at }: GitHubSource,
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
