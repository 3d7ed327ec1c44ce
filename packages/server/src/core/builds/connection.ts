// Checks whether a project may still build from its repository. Both may change owners, and people leave organizations.
// Without this check, a former member could deploy with a push, or the project could keep reading their code. At GitHub, a
// person who may no longer push could keep reading a private repository through a project of their own.
import { Fault } from '../../lib/fault.ts'
import { GitHubError } from '../../ports/github/port.ts'
import { findShared } from '../../store/builds/github/shared-installations.ts'
import { findRepositoryById } from '../../store/builds/repositories.ts'
import { roleIn } from '../../store/orgs/orgs.ts'
import { findProjectWithOrg } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import type { ProjectRepoRow, RepositoryRow } from '../../store/tables.ts'
import { atGitHub } from '../base/github-faults.ts'
import type { GitHubParts } from '../base/platform.ts'
import { userTokenOf } from '../identity/github-user-tokens.ts'

interface Owned {
  account_id: string | null
  org_id: string | null
}

/** True if both have the same owner, or the person who connected them may still use both. */
export async function mayBuildFrom(platform: GitHubParts, repo: ProjectRepoRow): Promise<boolean> {
  const { db } = platform.store
  const project = await findProjectWithOrg(db, repo.project_id)
  const repository = await findRepositoryById(db, repo.repository_id ?? '')
  if (!repository || !project) return false
  if (repo.installation_id !== null) return await mayUseGitHub(platform, repo, repository, project)
  const { connected_by: by } = repo
  // The token is that of the person who connected it.
  if (repo.host !== null) return by !== null && (await mayUse(db, by, project))
  if (repository.account_id === project.account_id && repository.org_id === project.org_id) return true
  return by !== null && (await mayUse(db, by, repository)) && (await mayUse(db, by, project))
}

/**
 * True if the person who connected it, or the person who shares its installation with the project's org, may use the project
 * and may push to the repository.
 */
async function mayUseGitHub(
  platform: GitHubParts,
  { connected_by: by, installation_id }: ProjectRepoRow,
  repository: RepositoryRow,
  project: Owned,
): Promise<boolean> {
  const { db } = platform.store
  const shared = await findShared(db, installation_id ?? 0)
  const sharer = shared && shared.org_id === project.org_id ? shared.shared_by : null
  for (const accountId of new Set([by, sharer]))
    if (accountId !== null && (await mayUse(db, accountId, project)))
      if (await mayPush(platform, accountId, repository)) return true
  return false
}

async function mayPush(
  platform: GitHubParts,
  accountId: string,
  { github_id, name }: RepositoryRow,
): Promise<boolean> {
  const { github } = platform
  // Nothing can be read from there anyway.
  if (!github) return true
  const token = await atGitHub(() => userTokenOf(platform, accountId))
  if (token === undefined) return false
  const seen = await atGitHub(() => github.repositoryFor(token, name).catch(noneIfRevoked))
  return seen?.id === github_id && seen?.mayPush === true
}

/** The user has revoked the token at GitHub. */
function noneIfRevoked(error: unknown): undefined {
  if (!(error instanceof GitHubError) || error.kind !== 'unauthorized') throw error
}

const mayUse = async (db: Db, accountId: string, { account_id, org_id }: Owned): Promise<boolean> =>
  org_id === null ? account_id === accountId : (await roleIn(db, org_id, accountId)) !== undefined

export const mustReconnect = (repo: string): string =>
  `who connected ${repo} may no longer use it or the project. Connect it again: svc git connect ${repo}`

export async function requireConnection(platform: GitHubParts, repo: ProjectRepoRow): Promise<void> {
  if (await mayBuildFrom(platform, repo)) return
  throw new Fault('not_buildable', `Not built: ${mustReconnect(repo.repo)}`)
}
