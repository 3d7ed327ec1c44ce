// The installations of the GitHub App that a caller can use, and their repositories.
import { Fault } from '../../../lib/fault.ts'
import { GitHubError, type GitHubInstallation, type GitHubRepository } from '../../../ports/github/port.ts'
import { installationsAmong, saveInstallation } from '../../../store/builds/github/installations.ts'
import { findShared } from '../../../store/builds/github/shared-installations.ts'
import { githubUserOf } from '../../../store/identity/github-users.ts'
import { roleIn } from '../../../store/orgs/orgs.ts'
import type { Caller } from '../../base/caller.ts'
import { atGitHub, requireGitHub } from '../../base/github-faults.ts'
import type { GitHubParts, Platform } from '../../base/platform.ts'
import { userTokenOf } from '../../identity/github-user-tokens.ts'

export interface InstallationRepository {
  id: number
  full_name: string
  private: boolean
  default_branch: string
}

const shownAtMost = 100

export const isLinked = async (platform: Pick<Platform, 'store'>, accountId: string): Promise<boolean> =>
  (await githubUserOf(platform.store.db, accountId)) !== undefined

/** The installations that the account can see at GitHub. Empty if the account is not linked to a GitHub user. */
export async function ownInstallations(
  platform: GitHubParts,
  accountId: string,
): Promise<GitHubInstallation[]> {
  const github = requireGitHub(platform)
  return await atGitHub(async () => {
    const token = await userTokenOf(platform, accountId)
    if (token === undefined) return []
    const found = await github.installationsFor(token)
    await remember(platform, found)
    return found
  })
}

/** Stores the names of installations, for people who use a shared one and cannot see it at GitHub. */
async function remember(
  platform: Pick<Platform, 'store'>,
  found: readonly GitHubInstallation[],
): Promise<void> {
  const { db } = platform.store
  const known = await installationsAmong(
    db,
    found.map(({ id }) => id),
  )
  for (const { id, account, isSuspended } of found) {
    const row = { id, account, is_suspended: isSuspended ? 1 : 0 }
    const before = known.get(id)
    if (before?.account !== account || before.is_suspended !== row.is_suspended)
      await saveInstallation(db, row)
  }
}

/** The repositories that the caller can connect, whose names contain the text. */
export async function repositoriesIn(
  platform: GitHubParts,
  caller: Caller,
  installationId: number,
  search: string,
): Promise<InstallationRepository[]> {
  const github = requireGitHub(platform)
  const token = await tokenFor(platform, caller, installationId)
  const all = await atGitHub(() => github.repositoriesFor(token, installationId))
  return all
    .filter(({ mayPush, fullName }) => mayPush && fullName.toLowerCase().includes(search.toLowerCase()))
    .slice(0, shownAtMost)
    .map(({ id, fullName, isPrivate, defaultBranch }) => ({
      id,
      full_name: fullName,
      private: isPrivate,
      default_branch: defaultBranch,
    }))
}

/** The caller's own token, or that of the person who shares the installation with an org of the caller's. */
async function tokenFor(platform: GitHubParts, caller: Caller, installationId: number): Promise<string> {
  const own = await ownInstallations(platform, caller.account.id)
  const isOwn = own.some(({ id }) => id === installationId)
  const shared = isOwn ? undefined : await findShared(platform.store.db, installationId)
  const isMember = shared && (await roleIn(platform.store.db, shared.org_id, caller.account.id))
  const speaker = isOwn ? caller.account.id : isMember ? shared.shared_by : undefined
  const token = speaker && (await atGitHub(() => userTokenOf(platform, speaker)))
  if (!token) throw new Fault('not_found', `You cannot use the installation ${installationId}.`)
  return token
}

export interface UsableRepository extends GitHubRepository {
  installationId: number
}

/**
 * Returns the repository if the caller may push to it, or if its installation is shared with the project's org and the
 * person who shared it may push. Otherwise `undefined`, whether the repository exists or not.
 */
export async function usableRepository(
  platform: GitHubParts,
  caller: Caller,
  project: { org_id: string | null },
  fullName: string,
): Promise<UsableRepository | undefined> {
  const github = requireGitHub(platform)
  return await atGitHub(async () => {
    const installation = await github.installationOn(fullName)
    if (!installation) return undefined
    await remember(platform, [installation])
    if (installation.isSuspended) throw new GitHubError('suspended', 'The installation is suspended.')
    const shared = await findShared(platform.store.db, installation.id)
    const isForProject = shared !== undefined && shared.org_id === project.org_id
    for (const accountId of [caller.account.id, ...(isForProject ? [shared.shared_by] : [])]) {
      const token = await userTokenOf(platform, accountId)
      const repository = token === undefined ? undefined : await github.repositoryFor(token, fullName)
      if (repository?.mayPush) return { ...repository, installationId: installation.id }
    }
    return undefined
  })
}
