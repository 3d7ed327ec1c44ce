// Finds the repository `owner/name` for a project, if the platform uses both GitHub and the built-in forge.
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import type { GitHostKind } from '../../ports/git-hosts/port.ts'
import { findGitHubRepository, updateGitHubRepository } from '../../store/builds/github/repositories.ts'
import { insertRepository } from '../../store/builds/repositories.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Repositories, Rows } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import type { ChosenRepository } from './chosen-repository.ts'
import { isHostUrl } from './git-hosts/address.ts'
import { chooseAtHost, type HostParts } from './git-hosts/connect.ts'
import { isLinked, type UsableRepository, usableRepository } from './github/installations.ts'
import { openRepository, type RepositoryName, readRepositoryName } from './repositories.ts'

type ForgeName = 'builtin' | 'github' | 'public' | GitHostKind

interface Wanted {
  repo: string
  forge?: ForgeName | undefined
  access_token?: string | undefined
}

/**
 * A URL names a repository at another git host. Otherwise chooses GitHub if the caller can use the repository there, else the
 * built-in forge. `forge` chooses one explicitly.
 */
export async function chooseRepository(
  platform: HostParts & Repositories & Pick<Platform, 'hasBuiltinForge'>,
  caller: Caller,
  project: ProjectScope,
  wanted: Wanted,
): Promise<ChosenRepository> {
  const { repo, forge } = wanted
  if (isHostUrl(repo)) return await chooseAtHost(platform, project, wanted)
  const name = readRepositoryName(repo)
  requireForge(platform, forge)
  if (platform.github && forge !== 'builtin') {
    const found = await usableRepository(platform, caller, project, repo)
    if (found) return await atGitHub(platform, found)
    if (forge === 'github' || !platform.hasBuiltinForge) throw await notUsable(platform, caller, repo)
  }
  return await builtin(platform, caller, name)
}

function requireForge(platform: Pick<Platform, 'github' | 'hasBuiltinForge'>, forge: Wanted['forge']): void {
  if (forge === 'gitlab' || forge === 'gitea' || forge === 'public')
    throw new Fault(
      'invalid_request',
      'repo: must be the URL of the repository there, such as https://gitlab.com/ada/website',
    )
  const isSetUp = forge === 'github' ? platform.github !== undefined : platform.hasBuiltinForge
  if (forge && !isSetUp)
    throw new Fault('invalid_request', `forge: this platform does not use ${forge} (SVCD_FORGE)`)
}

async function atGitHub(platform: Rows, found: UsableRepository): Promise<ChosenRepository> {
  const { db } = platform.store
  const { id: githubId, fullName, installationId, defaultBranch } = found
  await insertRepository(db, {
    id: newId('rep'),
    account_id: null,
    org_id: null,
    github_id: githubId,
    name: fullName,
    created_at: platform.clock.now(),
    is_behind: 0,
    pushed_by: null,
    stored_bytes: null,
    host: null,
  })
  const row = await findGitHubRepository(db, githubId)
  if (!row) throw new Fault('unavailable', 'The repository has just been deleted. Try again.')
  if (row.name !== fullName)
    await platform.store.transact(tx =>
      updateGitHubRepository(tx, row.id, { name: fullName, installationId }),
    )
  return { name: fullName, repositoryId: row.id, installationId, defaultBranch }
}

async function notUsable(
  platform: Pick<Platform, 'github' | 'store'>,
  caller: Caller,
  repo: string,
): Promise<Fault> {
  if (!(await isLinked(platform, caller.account.id)))
    return new Fault(
      'not_found',
      `The platform does not know your GitHub account, so it cannot tell whether you may use '${repo}'. Link it: svc git link`,
    )
  return new Fault(
    'not_found',
    `You cannot use '${repo}' at GitHub. The GitHub App must be installed on its owner's account with access to it, and you need the right to push to it. Install the App: ${platform.github?.installUrl}`,
  )
}

async function builtin(
  platform: Rows & Pick<Platform, 'repos'>,
  caller: Caller,
  { owner, name }: RepositoryName,
): Promise<ChosenRepository> {
  const repository = await openRepository(platform, caller, { owner, name }, { create: true })
  if (!repository)
    throw new Fault(
      'not_found',
      `You cannot use the repository '${owner}/${name}'. Its owner must be you (${caller.account.login}) or an org that you belong to.`,
    )
  return {
    name: `${owner}/${name}`,
    repositoryId: repository.id,
    installationId: null,
    defaultBranch: 'main',
  }
}
