// Checks whether a project may still build from its repository. Both may change owners, and people leave organizations.
// Without this check, a former member could deploy with a push, or the project could keep reading their code.
import { Fault } from '../../lib/fault.ts'
import { findShared } from '../../store/builds/github/shared-installations.ts'
import { findRepositoryById } from '../../store/builds/repositories.ts'
import { roleIn } from '../../store/orgs/orgs.ts'
import { findProjectWithOrg } from '../../store/projects/projects.ts'
import type { Db } from '../../store/store.ts'
import type { ProjectRepoRow } from '../../store/tables.ts'

interface Owned {
  account_id: string | null
  org_id: string | null
}

/** True if both have the same owner, or the person who connected them may still use both. */
export async function mayBuildFrom(db: Db, repo: ProjectRepoRow): Promise<boolean> {
  const project = await findProjectWithOrg(db, repo.project_id)
  if (project && repo.installation_id !== null)
    return await mayUseGitHub(db, repo, repo.installation_id, project)
  const repository = await findRepositoryById(db, repo.repository_id ?? '')
  if (!repository || !project) return false
  if (repository.account_id === project.account_id && repository.org_id === project.org_id) return true
  const { connected_by: by } = repo
  return by !== null && (await mayUse(db, by, repository)) && (await mayUse(db, by, project))
}

/** True if the installation is shared with the project's org, or the person who connected it may still use the project. */
async function mayUseGitHub(
  db: Db,
  { connected_by: by }: ProjectRepoRow,
  installationId: number,
  project: Owned,
): Promise<boolean> {
  const shared = await findShared(db, installationId)
  if (shared && shared.org_id === project.org_id) return true
  return by !== null && (await mayUse(db, by, project))
}

const mayUse = async (db: Db, accountId: string, { account_id, org_id }: Owned): Promise<boolean> =>
  org_id === null ? account_id === accountId : (await roleIn(db, org_id, accountId)) !== undefined

export const mustReconnect = (repo: string): string =>
  `who connected ${repo} may no longer use it or the project. Connect it again: svc git connect ${repo}`

export async function requireConnection(db: Db, repo: ProjectRepoRow): Promise<void> {
  if (await mayBuildFrom(db, repo)) return
  throw new Fault('not_buildable', `Not built: ${mustReconnect(repo.repo)}`)
}
