// Where the commits of a project's repository are: in the built-in forge, or at GitHub.
import { Fault } from '../../lib/fault.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import type { GitHub, RepositoryAt } from '../../ports/github/port.ts'
import { findRepositoryById } from '../../store/builds/repositories.ts'
import type { ProjectRepoRow } from '../../store/tables.ts'
import { atGitHub } from '../base/github-faults.ts'
import type { Platform, Repositories } from '../base/platform.ts'
import { workspaceDiffers } from './workspace-changes.ts'

type Repo = Pick<ProjectRepoRow, 'repository_id' | 'installation_id'>

export interface GitHubSource {
  github: GitHub
  at: RepositoryAt
}

/** Undefined for a repository of the built-in forge. */
export async function githubSource(
  platform: Pick<Platform, 'github' | 'store'>,
  { repository_id, installation_id }: Repo,
): Promise<GitHubSource | undefined> {
  if (installation_id === null || repository_id === null) return undefined
  const row = await findRepositoryById(platform.store.db, repository_id)
  const { github } = platform
  if (!github || !row?.github_id)
    throw new Fault(
      'unavailable',
      'The repository is at GitHub, which this platform does not use at the moment (SVCD_FORGE).',
    )
  return { github, at: { installationId: installation_id, repositoryId: row.github_id, fullName: row.name } }
}

/** The last commit of a branch. `undefined` if there is no such branch. */
export async function newestCommit(
  platform: Repositories & Pick<Platform, 'store'>,
  repo: Repo,
  branch: string,
): Promise<GitCommit | undefined> {
  const { repository_id: id } = repo
  const source = await githubSource(platform, repo)
  if (source) return await atGitHub(() => source.github.head(source.at, branch))
  if (id === null) return undefined
  const sha = (await platform.repos.heads(id)).get(branch)
  return sha === undefined ? undefined : await platform.repos.commit(id, sha)
}

/** Writes the files of a commit into an empty directory. */
export async function checkOutCommit(
  platform: Repositories & Pick<Platform, 'store'>,
  repo: Repo,
  { sha, dir, signal }: { sha: string; dir: string; signal: AbortSignal },
): Promise<void> {
  const source = await githubSource(platform, repo)
  if (source) await atGitHub(() => source.github.checkOut(source.at, sha, dir, signal))
  else await platform.repos.checkOut(repo.repository_id ?? '', sha, dir, signal)
}

/**
 * Whether two commits differ in a folder, or in the workspace packages that it uses. Returns true if that cannot be told. Of a
 * repository at GitHub, it compares the folder alone.
 */
export async function folderDiffers(
  platform: Repositories & Pick<Platform, 'store'>,
  repo: Repo,
  { from, to, folder }: { from: string; to: string; folder: string },
): Promise<boolean> {
  const source = await githubSource(platform, repo)
  if (!source) {
    const id = repo.repository_id ?? ''
    const differs = await platform.repos.differ(id, from, to, folder)
    return differs || (await workspaceDiffers(platform.repos, id, { from, to, folder }))
  }
  const { github, at } = source
  // The earlier commit may be gone after a force push.
  const [before, after] = await Promise.all(
    [from, to].map(sha => github.treeOf(at, sha, folder).catch(() => undefined)),
  )
  return before === undefined || before !== after
}
