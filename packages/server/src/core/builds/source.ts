// Where the commits of a project's repository are: in the built-in forge, at GitHub, or at another git host.
import { Fault } from '../../lib/fault.ts'
import type { Submodule } from '../../lib/git/submodules.ts'
import type { Secret } from '../../lib/secret.ts'
import { type GitHosts, gitHostNames, tokenUser } from '../../ports/git-hosts/port.ts'
import type { GitCommit } from '../../ports/git-repos/port.ts'
import type { CommitStatus, GitHub, RepositoryAt } from '../../ports/github/port.ts'
import { findHostRepository } from '../../store/builds/git-hosts.ts'
import {
  type ConnectedProject,
  connectedProjects,
  findRepositoryById,
} from '../../store/builds/repositories.ts'
import type { GitHostRepositoryRow, ProjectRepoRow, RepositoryRow } from '../../store/tables.ts'
import { atGitHost, atPublicHost } from '../base/git-host-faults.ts'
import { atGitHub } from '../base/github-faults.ts'
import type { Platform, Repositories, Vault } from '../base/platform.ts'
import { publicUrl } from './git-hosts/public.ts'
import { hostedRepository } from './git-hosts/secrets.ts'
import { workspaceDiffers } from './workspace-changes.ts'

type Repo = Pick<ProjectRepoRow, 'repository_id' | 'installation_id' | 'host'>

export type RemoteHosts = Vault & Pick<Platform, 'github' | 'gitHosts'>

export interface GitHubSource {
  github: GitHub
  at: RepositoryAt
}

/** A repository that is not the platform's own. `head` and `checkOut` reject with Faults, `setStatus` with the host's error. */
export interface RemoteSource {
  /** The last commit of a branch. `undefined` if there is no such branch. */
  head(branch: string): Promise<GitCommit | undefined>
  checkOut(sha: string, dir: string, signal: AbortSignal): Promise<Submodule[]>
  /** For git, without a token. */
  readonly url: string
  /** For the files in Git LFS. Not for public repositories. */
  credentials?(): Promise<{ user: string; token: Secret }>
  setStatus(sha: string, status: CommitStatus): Promise<void>
}

export const isRemote = ({ installation_id, host }: Pick<Repo, 'installation_id' | 'host'>): boolean =>
  installation_id !== null || host !== null

/** Whether the host of a repository is told how builds went. */
export const takesReports = (repo: Pick<Repo, 'installation_id' | 'host'>): boolean =>
  isRemote(repo) && repo.host !== 'public'

/** What people call the host of a repository. */
export const nameOfHost = ({ installation_id, host }: Pick<Repo, 'installation_id' | 'host'>): string =>
  host === 'public'
    ? 'another git host'
    : host
      ? gitHostNames[host]
      : installation_id !== null
        ? 'GitHub'
        : 'this platform'

/** Undefined for a repository of the built-in forge or of another git host. */
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

/** Undefined for a repository of the built-in forge. */
export async function remoteSource(platform: RemoteHosts, repo: Repo): Promise<RemoteSource | undefined> {
  if (repo.host !== null) return await hostSource(platform, repo)
  const source = await githubSource(platform, repo)
  return source && remoteAtGitHub(source)
}

export const remoteAtGitHub = ({ github, at }: GitHubSource): RemoteSource => ({
  head: branch => atGitHub(() => github.head(at, branch)),
  url: github.cloneUrl(at),
  credentials: () => atGitHub(() => github.readCredentials(at)),
  checkOut: (sha, dir, signal) => atGitHub(() => github.checkOut(at, sha, dir, signal)),
  setStatus: (sha, status) => github.setStatus(at, sha, status),
})

/** The projects that a repository is connected to, and where it is. `undefined` if no project is, or `find` finds nothing. */
export async function connectionsOf<Source>(
  { db }: Platform['store'],
  repository: RepositoryRow,
  find: (project: ConnectedProject) => Promise<Source | undefined>,
): Promise<{ projects: ConnectedProject[]; source: Source } | undefined> {
  const projects = await connectedProjects(db, repository.id)
  const source = projects[0] && (await find(projects[0]))
  return source && { projects, source }
}

async function hostSource(
  platform: Vault & Pick<Platform, 'gitHosts'>,
  { repository_id }: Repo,
): Promise<RemoteSource> {
  const row = await findHostRepository(platform.store.db, repository_id ?? '')
  if (!row) throw new Fault('not_buildable', 'The repository has just been disconnected.')
  const { gitHosts } = platform
  if (row.kind === 'public') return publicSource(gitHosts, row)
  const at = hostedRepository(platform, { ...row, kind: row.kind })
  return {
    head: branch =>
      atGitHost(async () => {
        const commit = await gitHosts.head(at, branch)
        // A token that lost its rights sees no branch, and no repository either. That is not a deleted branch.
        if (!commit) await gitHosts.defaultBranch(at)
        return commit
      }),
    url: `${at.baseUrl}/${at.path}.git`,
    credentials: async () => ({ user: tokenUser, token: at.token }),
    checkOut: (sha, dir, signal) => atGitHost(() => gitHosts.checkOut(at, sha, dir, signal)),
    setStatus: (sha, status) => gitHosts.setStatus(at, sha, status),
  }
}

function publicSource(gitHosts: GitHosts, row: GitHostRepositoryRow): RemoteSource {
  const url = publicUrl(row)
  return {
    url,
    head: async branch => (await atPublicHost(url, () => gitHosts.publicBranch(url, branch))).commit,
    checkOut: (sha, dir, signal) =>
      atPublicHost(url, () => gitHosts.checkOutPublic({ url, sha }, dir, `${dir}.git`, signal)),
    setStatus: async () => undefined,
  }
}

/** The last commit of a branch. `undefined` if there is no such branch. */
export async function newestCommit(
  platform: Repositories & Vault,
  repo: Repo,
  branch: string,
): Promise<GitCommit | undefined> {
  const { repository_id: id } = repo
  const source = await remoteSource(platform, repo)
  if (source) return await source.head(branch)
  if (id === null) return undefined
  const sha = (await platform.repos.heads(id)).get(branch)
  return sha === undefined ? undefined : await platform.repos.commit(id, sha)
}

/** The submodules of a commit. If its repository is at another host, also its URL and what it takes to read it. */
export interface CheckedOut {
  submodules: Submodule[]
  url?: string
  credentials?: RemoteSource['credentials']
}

/** Writes the files of a commit into an empty directory. */
export async function checkOutCommit(
  platform: Repositories & Vault,
  repo: Repo,
  { sha, dir, signal }: { sha: string; dir: string; signal: AbortSignal },
): Promise<CheckedOut> {
  const source = await remoteSource(platform, repo)
  if (source) {
    const { url, credentials } = source
    return { submodules: await source.checkOut(sha, dir, signal), url, ...(credentials && { credentials }) }
  }
  const submodules = await platform.repos.checkOut(repo.repository_id ?? '', sha, dir, signal)
  return { submodules }
}

/**
 * Whether two commits differ in a folder, or in the workspace packages that it uses. Returns true if that cannot be told, and
 * always for other git hosts. Of a repository at GitHub, it compares the folder alone.
 */
export async function folderDiffers(
  platform: Repositories & Vault,
  repo: Repo,
  { from, to, folder }: { from: string; to: string; folder: string },
): Promise<boolean> {
  if (repo.host !== null) return true
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
