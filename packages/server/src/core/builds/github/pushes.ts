// Handles pushes and pull requests at GitHub: compares the branch with the known commit, and builds it if it changed.
import type { GitCommit } from '../../../ports/git-repos/port.ts'
import type { GitHubPull } from '../../../ports/github/port.ts'
import { hasOpenPull, savePull } from '../../../store/builds/github/reports.ts'
import {
  type ConnectedProject,
  connectedProjects,
  deleteBranches,
  knownCommit,
} from '../../../store/builds/repositories.ts'
import { domainsTracking } from '../../../store/domains/domains.ts'
import type { RepositoryRow } from '../../../store/tables.ts'
import type { BuildParts, Platform, Rows } from '../../base/platform.ts'
import { removeBranch } from '../branches.ts'
import { moveBranch } from '../pushes.ts'
import { type GitHubSource, githubSource } from '../source.ts'
import { tellNotBuilt } from './reports.ts'

/** Builds the branch if it has a new commit. If it was deleted, removes its builds and deployments. */
export async function followBranch(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  branch: string,
): Promise<void> {
  const projects = await connectedProjects(platform.store.db, repository.id)
  const source = projects[0] && (await githubSource(platform, projects[0]))
  if (!source) return
  const commit = await source.github.head(source.at, branch)
  if (commit) await follow(platform, repository, projects, source, { branch, commit })
  else await forget(platform, repository, projects, branch)
}

/** A pull request within the repository is built as its branch. A pull request of a fork is built on its own. */
export async function followPull(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  number: number,
): Promise<void> {
  const projects = await connectedProjects(platform.store.db, repository.id)
  const source = projects[0] && (await githubSource(platform, projects[0]))
  const pull = await source?.github.pull(source.at, number)
  if (!source || !pull) return
  const branch = branchOf(pull)
  const is_open = pull.isOpen ? 1 : 0
  await platform.store.transact(tx => savePull(tx, { repository_id: repository.id, number, branch, is_open }))
  if (!pull.isOpen) return await closePull(platform, repository, projects, branch)
  if (!pull.isFork) return await followBranch(platform, repository, branch)
  const commit = await source.github.commit(source.at, pull.sha)
  if (commit) await follow(platform, repository, projects, source, { branch, commit, fromFork: true })
}

/** `owner:branch` for a fork, as GitHub writes it. Names of branches have no colon, so a fork never has the name of a branch. */
const branchOf = ({ isFork, label, branch, number }: GitHubPull): string =>
  isFork ? (label.includes(':') ? label : `fork:${number}`) : branch

async function follow(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  projects: ConnectedProject[],
  source: GitHubSource,
  { branch, commit, fromFork = false }: { branch: string; commit: GitCommit; fromFork?: boolean },
): Promise<void> {
  const from = await knownCommit(platform.store.db, repository.id, branch)
  if (from === commit.sha) return
  const move = { branch, from, commit, fromFork }
  const { notBuilt } = await moveBranch(platform, repository, projects, move)
  for (const one of notBuilt) await tellNotBuilt(platform, source, commit.sha, one)
}

async function forget(
  platform: Rows,
  repository: RepositoryRow,
  projects: ConnectedProject[],
  branch: string,
): Promise<void> {
  for (const project of projects) await removeBranch(platform, project, branch)
  await platform.store.transact(tx => deleteBranches(tx, repository.id, [branch]))
}

/** Removes the preview, unless another open pull request or a domain shows the branch. */
async function closePull(
  platform: Rows,
  repository: RepositoryRow,
  projects: ConnectedProject[],
  branch: string,
): Promise<void> {
  const { db } = platform.store
  if (await hasOpenPull(db, repository.id, branch)) return
  for (const project of projects)
    if ((await domainsTracking(db, project.project_id, branch)).length > 0) return
  if (projects.some(project => project.branch === branch)) return
  await forget(platform, repository, projects, branch)
}
