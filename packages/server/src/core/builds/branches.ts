// The branches of a project's repository: which of them a domain may track, and what is removed with a deleted branch.
import { Fault } from '../../lib/fault.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import { cancelBuilds } from '../../store/builds/builds.ts'
import { type ConnectedProject, findProjectRepo } from '../../store/builds/repositories.ts'
import { deleteInactive, detachFromBranch, previewsOf } from '../../store/deployments/deployments.ts'
import { discardPack } from '../../store/deployments/discarded-packs.ts'
import { discardDisks } from '../../store/disk/disks.ts'
import { unpinDomains } from '../../store/domains/domains.ts'
import { lockProject } from '../../store/projects/projects.ts'
import type { ProjectRepoRow } from '../../store/tables.ts'
import { requireBranchName } from '../base/branch-names.ts'
import { enqueue } from '../base/jobs.ts'
import type { GitHubParts, Repositories, Rows } from '../base/platform.ts'
import { mayBuildFrom } from './connection.ts'
import { newestCommit } from './source.ts'

/** The production branch of a project without a repository. */
export const usualBranch = 'main'

/** What a build of a branch is made from. */
export interface BranchSource {
  repo: ProjectRepoRow
  branch: string
  commit: GitCommit
}

/**
 * Refuses the production branch for a domain. Returns the commit for the first build of the branch. `undefined` if there
 * is no repository, or no such branch in it yet.
 */
export async function branchSource(
  platform: Repositories & GitHubParts,
  project: { id: string },
  branch: string | null | undefined,
): Promise<BranchSource | undefined> {
  if (branch == null) return undefined
  const repo = await findProjectRepo(platform.store.db, project.id)
  if (branch === (repo?.branch ?? usualBranch))
    throw new Fault(
      'invalid_branch',
      `'${branch}' is the production branch. Leave the branch out to show production.`,
    )
  requireBranchName(branch)
  if (!repo || !(await mayBuildFrom(platform, repo).catch(noneWhileAway))) return undefined
  const commit = await newestCommit(platform, repo, branch).catch(noneWhileAway)
  return commit && { repo, branch, commit }
}

/** If the git host does not answer, the domain is attached all the same, and the next push builds the branch. */
function noneWhileAway(error: unknown): undefined {
  if (!(error instanceof Fault) || error.code !== 'unavailable') throw error
}

/**
 * Called when a branch was deleted at the git host. Cancels its builds, and removes its deployments and its URL. Domains that
 * track it show production until the branch exists again. A promoted deployment stays live. Nothing is removed for the
 * production branch. Safe to call again, and for a branch that was never built.
 */
export async function removeBranch(
  platform: Rows,
  project: Pick<ConnectedProject, 'project_id' | 'project_name' | 'branch'>,
  branch: string,
): Promise<void> {
  if (branch === project.branch) return
  const now = platform.clock.now()
  const projectId = project.project_id
  await platform.store.transact(async (tx, changed) => {
    if (!(await lockProject(tx, projectId))) return
    const end = { now, error: 'The branch was deleted.' }
    for (const id of await cancelBuilds(tx, { projectId, branch }, end))
      await changed({ topic: 'build', key: id })
    for (const domain of await unpinDomains(tx, projectId, branch))
      await changed({ topic: 'domain', key: domain })
    for (const id of await previewsOf(tx, projectId, branch)) {
      if (!(await deleteInactive(tx, projectId, id))) continue
      await discardPack(tx, id, now)
      await changed({ topic: 'app', key: id })
    }
    await detachFromBranch(tx, projectId, branch)
    await discardDisks(tx, { projectId, branch }, now)
    await enqueue(tx, 'remove-packs', { id: projectId }, { now })
    await changed({ topic: 'project', key: project.project_name })
  })
}
