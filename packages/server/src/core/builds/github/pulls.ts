// Handles pull requests at GitHub: each is built as its branch, or on its own if its branch is in a fork.
import type { GitHubPull } from '../../../ports/github/port.ts'
import { hasOpenPull, savePull } from '../../../store/builds/github/reports.ts'
import type { ConnectedProject } from '../../../store/builds/repositories.ts'
import { domainsTracking } from '../../../store/domains/domains.ts'
import type { RepositoryRow } from '../../../store/tables.ts'
import type { BuildParts, Platform, Rows } from '../../base/platform.ts'
import { follow, followBranch, forget } from '../remote-branches.ts'
import { connectionsOf, githubSource, remoteAtGitHub } from '../source.ts'

/** A pull request within the repository is built as its branch. A pull request of a fork is built on its own. */
export async function followPull(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  number: number,
): Promise<void> {
  const found = await connectionsOf(platform.store, repository, project => githubSource(platform, project))
  if (!found) return
  const { projects, source } = found
  const pull = await source.github.pull(source.at, number)
  if (!pull) return
  const branch = branchOf(pull)
  const is_open = pull.isOpen ? 1 : 0
  await platform.store.transact(tx => savePull(tx, { repository_id: repository.id, number, branch, is_open }))
  if (!pull.isOpen) return await closePull(platform, repository, projects, branch)
  if (!pull.isFork) return await followBranch(platform, repository, branch)
  const commit = await source.github.commit(source.at, pull.sha)
  if (commit)
    await follow(platform, repository, projects, remoteAtGitHub(source), { branch, commit, fromFork: true })
}

/** `owner:branch` for a fork, as GitHub writes it. Names of branches have no colon, so a fork never has the name of a branch. */
const branchOf = ({ isFork, label, branch, number }: GitHubPull): string =>
  isFork ? (label.includes(':') ? label : `fork:${number}`) : branch

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
