// Builds that someone asks for: of the newest commit of a branch, of a chosen commit, or of an earlier build once more.
import type { Build } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import { findBuildOfCommit } from '../../store/builds/builds.ts'
import type { BuildRow, ProjectRepoRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import { requireBranchName } from '../base/branch-names.ts'
import type { Caller } from '../base/caller.ts'
import type { BuildParts, Repositories } from '../base/platform.ts'
import { requireNotSuspended } from '../base/suspension.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { requireConnection } from './connection.ts'
import { requireBuildMinutes } from './minutes.ts'
import {
  describeBuild,
  type NewBuild,
  projectBuild,
  queueBuild,
  queuePositions,
  requireRepo,
} from './queue.ts'
import { isRemote, nameOfHost, newestCommit } from './source.ts'

interface Wanted {
  branch?: string | undefined
  commit?: string | undefined
}

/** What is to be built, before it is known who asks. */
type Source = Pick<NewBuild, 'branch' | 'commit' | 'fromFork' | 'isChosen'>

export async function buildNow(
  platform: BuildParts,
  caller: Caller,
  project: ProjectScope,
  wanted: Wanted,
): Promise<Build> {
  const repo = await requireBuildable(platform, project)
  const source =
    wanted.commit === undefined
      ? await newest(platform, repo, wanted.branch ?? repo.branch)
      : await chosen(platform, repo, { branch: wanted.branch, commit: wanted.commit })
  return await queue(platform, caller, project, repo, source)
}

/** Builds the commit of an earlier build once more, with the settings and variables of now. */
export async function rebuild(
  platform: BuildParts,
  caller: Caller,
  project: ProjectScope,
  id: string,
): Promise<Build> {
  const build = await projectBuild(platform, project, id)
  const repo = await requireBuildable(platform, project)
  return await queue(platform, caller, project, repo, sourceOf(build))
}

async function requireBuildable(platform: BuildParts, project: ProjectScope): Promise<ProjectRepoRow> {
  await requireNotSuspended(platform.store.db, project.id)
  const repo = await requireRepo(platform.store.db, project)
  await requireConnection(platform, repo)
  return repo
}

async function newest(platform: BuildParts, repo: ProjectRepoRow, branch: string): Promise<Source> {
  requireOwnBranch(repo, branch)
  const commit = await newestCommit(platform, repo, branch)
  if (!commit)
    throw new Fault('invalid_request', `branch: ${repo.repo} has no branch '${branch}'. Push to it first.`)
  return { branch, commit }
}

/** Without a branch, the commit must have been built before: it is built for the same branch. */
async function chosen(
  platform: BuildParts,
  repo: ProjectRepoRow,
  { branch, commit: sha }: { branch: string | undefined; commit: string },
): Promise<Source> {
  if (branch !== undefined) requireOwnBranch(repo, branch)
  const built = await findBuildOfCommit(platform.store.db, repo.project_id, sha, branch)
  if (built) return sourceOf(built)
  if (isRemote(repo))
    throw new Fault(
      'invalid_request',
      `commit: the project has no build of ${sha}${branch === undefined ? '' : ` for the branch '${branch}'`}. Of a repository at ${nameOfHost(repo)}, only commits that were built before can be chosen, because the host shows the commits of forks, too.`,
    )
  const commit = await commitOf(platform, repo, sha)
  if (!commit) throw new Fault('invalid_request', `commit: ${repo.repo} has no commit ${sha}. Push it first.`)
  if (branch === undefined)
    throw new Fault(
      'invalid_request',
      `branch: the commit ${sha} was not built before. Say for which branch it is built: svc git build --commit ${sha} --branch ${repo.branch}`,
    )
  return { branch, commit, isChosen: true }
}

const commitOf = async (
  { repos }: Repositories,
  { repository_id }: ProjectRepoRow,
  sha: string,
): Promise<GitCommit | undefined> =>
  repository_id === null ? undefined : await repos.commit(repository_id, sha)

function requireOwnBranch(repo: ProjectRepoRow, branch: string): void {
  if (repo.installation_id !== null && branch.includes(':'))
    throw new Fault(
      'invalid_request',
      `branch: '${branch.slice(0, 100)}' is of a fork, which is built when its pull request changes. Close the pull request and open it again to build it now.`,
    )
  requireBranchName(branch)
}

/** Untrusted code of a fork stays untrusted. */
const sourceOf = (build: BuildRow): Source => ({
  branch: build.branch,
  commit: {
    sha: build.commit_sha,
    message: build.commit_message ?? '',
    author: build.author ?? '',
  },
  fromFork: build.from_fork === 1,
  isChosen: true,
})

async function queue(
  platform: BuildParts,
  caller: Caller,
  project: ProjectScope,
  repo: ProjectRepoRow,
  source: Source,
): Promise<Build> {
  const row = await platform.store.transact(async (tx, changed) => {
    await requireNotSuspended(tx, project.id)
    await requireBuildMinutes(platform, tx, project.id)
    const details: Record<string, string> = source.isChosen ? { commit: source.commit.sha } : {}
    await audit(platform, tx, caller, { action: 'build.queue', project, target: source.branch, details })
    const requestedBy = caller.account.id
    return await queueBuild(platform, tx, changed, { repo, ...source, requestedBy, isAskedFor: true })
  })
  return describeBuild(row, await queuePositions(platform, [row]))
}
