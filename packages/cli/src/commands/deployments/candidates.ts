// The deployments that `svc rollback` and `svc promote` could mean.
import type { DeploymentStatus } from '@svc/contract'
import { ApiError } from '@svc/contract/client'
import type { Candidates } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { clean, firstLine, minute } from '../../output.ts'
import { connect } from '../../session.ts'

export const rollbackCandidates = ofStatus('superseded', {
  heading: 'It can go back to:',
  none: 'There is no earlier deployment to go back to.',
})
export const promoteCandidates = ofStatus('branch', {
  heading: 'It can promote:',
  none: "There is no preview to promote. 'svc deploy --branch <name>' makes one.",
})

function ofStatus(status: DeploymentStatus, words: { heading: string; none: string }): Candidates {
  return async ({ options }) => {
    const rows = await deploymentsOf(status, () => requireProject(options))
    return rows && { heading: rows.length > 0 ? words.heading : words.none, rows, more: 'svc deployments' }
  }
}

async function deploymentsOf(
  status: DeploymentStatus,
  project: () => string,
): Promise<string[][] | undefined> {
  try {
    const answer = await connect()('GET /projects/:name', { params: { name: project() } })
    return (answer.deployments ?? [])
      .filter(deployment => deployment.status === status && deployment.id !== answer.active_deployment_id)
      .map(({ id, created_at, created_by, commit_author, git_branch, git_sha, commit_message }) => [
        ...[clean(id), minute(created_at), clean(commit_author ?? created_by)],
        ...[clean(git_branch), clean(git_sha).slice(0, 7), firstLine(commit_message, 40)],
      ])
  } catch (error) {
    // Without a project, a login or an answer, the usage alone is what there is to say.
    if (error instanceof Failure || error instanceof ApiError) return undefined
    throw error
  }
}
