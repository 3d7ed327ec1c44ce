// Reports builds to GitHub: commit statuses, deployments, and a comment on pull requests.
import { type GitHub, type GitHubApp, GitHubError, type RepositoryAt } from './port.ts'
import type { Answer } from './requests.ts'

type Reports = Pick<
  GitHub,
  'setStatus' | 'createDeployment' | 'setDeploymentStatus' | 'findComment' | 'createComment' | 'editComment'
>
type SendAt = (at: RepositoryAt, route: string, parameters: Record<string, unknown>) => Promise<Answer>

/** GitHub's limit for the description of a status. */
const descriptionAtMost = 140
const pageSize = 100
const commentPagesAtMost = 10

const short = (text: string): string =>
  text.length > descriptionAtMost ? `${text.slice(0, descriptionAtMost - 1)}…` : text

interface Comment {
  id: unknown
  body?: unknown
  user?: { login?: unknown } | null
  performed_via_github_app?: { id?: unknown } | null
}

/** Whether the App wrote the comment. Logins of users cannot contain brackets. */
const isBy = ({ appId, slug }: Pick<GitHubApp, 'appId' | 'slug'>, comment: Comment): boolean =>
  String(comment.performed_via_github_app?.id ?? '') === appId || comment.user?.login === `${slug}[bot]`

export const githubReports = (app: Pick<GitHubApp, 'appId' | 'slug'>, send: SendAt): Reports => ({
  async setStatus(at, sha, { state, context, description, targetUrl }) {
    await send(at, 'POST /repos/{owner}/{repo}/statuses/{sha}', {
      ...{ sha, state, context, description: short(description), target_url: targetUrl },
    })
  },

  async createDeployment(at, { sha, environment, isProduction, description, buildId }) {
    const made = await send(at, 'GET /repos/{owner}/{repo}/deployments', {
      sha,
      environment,
      per_page: pageSize,
    })
    const rows: { id: unknown; payload?: { build_id?: unknown } }[] = made.data
    const earlier = rows.find(row => row.payload?.build_id === buildId)
    if (earlier) return Number(earlier.id)
    const { data } = await send(at, 'POST /repos/{owner}/{repo}/deployments', {
      ref: sha,
      environment,
      description: short(description),
      production_environment: isProduction,
      transient_environment: !isProduction,
      // The platform deploys even if other checks fail, and GitHub must not merge anything for it.
      auto_merge: false,
      required_contexts: [],
      payload: { build_id: buildId },
    })
    return Number(data.id)
  },

  async setDeploymentStatus(at, deployment_id, { state, description, logUrl, environmentUrl }) {
    await send(at, 'POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses', {
      ...{ deployment_id, state, description: short(description), log_url: logUrl, auto_inactive: true },
      ...(environmentUrl && { environment_url: environmentUrl }),
    })
  },

  /** Ignores comments of others: anyone may write the marker into a comment, but the App can edit only its own. */
  async findComment(at, issue_number, marker) {
    for (let page = 1; page <= commentPagesAtMost; page++) {
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments'
      const { data, hasNext } = await send(at, route, { issue_number, per_page: pageSize, page })
      const own = (data as Comment[]).find(row => String(row.body).includes(marker) && isBy(app, row))
      if (own) return Number(own.id)
      if (!hasNext) return undefined
    }
    return undefined
  },

  async createComment(at, issue_number, body) {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments'
    const { data } = await send(at, route, { issue_number, body })
    return Number(data.id)
  },

  async editComment(at, comment_id, body) {
    try {
      await send(at, 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { comment_id, body })
      return true
    } catch (error) {
      if (error instanceof GitHubError && error.kind === 'missing') return false
      throw error
    }
  },
})
