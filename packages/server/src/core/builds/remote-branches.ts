// Follows a branch at another git host: compares it with the known commit, and builds it if it changed.
import type { GitCommit } from '../../ports/git-repos/port.ts'
import { type ConnectedProject, deleteBranches, knownCommit } from '../../store/builds/repositories.ts'
import type { RepositoryRow } from '../../store/tables.ts'
import type { BuildParts, Platform, Rows } from '../base/platform.ts'
import { removeBranch } from './branches.ts'
import { moveBranch } from './pushes.ts'
import { tellNotBuilt } from './remote-reports.ts'
import { connectionsOf, type RemoteSource, remoteSource } from './source.ts'

/** Builds the branch if it has a new commit. If it was deleted, removes its builds and deployments. */
export async function followBranch(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  branch: string,
): Promise<void> {
  const found = await connectionsOf(platform.store, repository, project => remoteSource(platform, project))
  if (!found) return
  const { projects, source } = found
  const commit = await source.head(branch)
  if (commit) await follow(platform, repository, projects, source, { branch, commit })
  else await forget(platform, repository, projects, branch)
}

export async function follow(
  platform: BuildParts & Pick<Platform, 'urls'>,
  repository: RepositoryRow,
  projects: ConnectedProject[],
  source: RemoteSource,
  { branch, commit, fromFork = false }: { branch: string; commit: GitCommit; fromFork?: boolean },
): Promise<void> {
  const from = await knownCommit(platform.store.db, repository.id, branch)
  if (from === commit.sha) return
  const move = { branch, from, commit, fromFork }
  const { notBuilt } = await moveBranch(platform, repository, projects, move)
  for (const one of notBuilt) await tellNotBuilt(platform, source, commit.sha, one)
}

export async function forget(
  platform: Rows,
  repository: RepositoryRow,
  projects: ConnectedProject[],
  branch: string,
): Promise<void> {
  for (const project of projects) await removeBranch(platform, project, branch)
  await platform.store.transact(tx => deleteBranches(tx, repository.id, [branch]))
}
