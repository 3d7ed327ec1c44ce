// Connects a repository that anybody may read, at any git host. The platform has no token there, so it adds no webhook.
import { Fault } from '../../../lib/fault.ts'
import { newId } from '../../../lib/ids.ts'
import { GitHostError } from '../../../ports/git-hosts/port.ts'
import { insertHostRepository } from '../../../store/builds/git-hosts.ts'
import { insertRepository } from '../../../store/builds/repositories.ts'
import type { GitHostRepositoryRow } from '../../../store/tables.ts'
import { requireBranchName } from '../../base/branch-names.ts'
import { atGitHost } from '../../base/git-host-faults.ts'
import type { Platform, Rows, Vault } from '../../base/platform.ts'
import type { ChosenRepository } from '../chosen-repository.ts'
import type { HostAddress } from './address.ts'
import { sealHostSecrets } from './secrets.ts'

type PublicParts = Rows & Vault & Pick<Platform, 'gitHosts'>

export const publicUrl = ({ base_url, path }: Pick<GitHostRepositoryRow, 'base_url' | 'path'>): string =>
  `${base_url}/${path}`

/** `undefined` if the host shows no such repository to everybody. */
export async function choosePublic(
  platform: PublicParts,
  { baseUrl, path, name }: HostAddress,
): Promise<ChosenRepository | undefined> {
  // GitLab gives repositories by URLs that end with .git. Other hosts know no such URLs.
  for (const found of [`${path}.git`, path]) {
    const at = { base_url: baseUrl, path: found }
    const defaultBranch = await defaultBranchOf(platform, publicUrl(at))
    if (defaultBranch !== undefined) return chosen(platform, { at, name, defaultBranch })
  }
  return undefined
}

async function defaultBranchOf({ gitHosts }: PublicParts, url: string): Promise<string | undefined> {
  try {
    const { name } = await gitHosts.publicBranch(url)
    requireBranchName(name)
    return name
  } catch (error) {
    if (error instanceof GitHostError && error.kind === 'missing') return undefined
    return await atGitHost(() => Promise.reject(error))
  }
}

interface Found {
  at: Pick<GitHostRepositoryRow, 'base_url' | 'path'>
  name: string
  defaultBranch: string
}

function chosen(
  { clock, keyring, gitHosts }: PublicParts,
  { at, name, defaultBranch }: Found,
): ChosenRepository {
  const repositoryId = newId('rep')
  const kind = 'public'
  return {
    ...{ name, repositoryId, installationId: null, host: kind, defaultBranch },
    head: async branch => (await atGitHost(() => gitHosts.publicBranch(publicUrl(at), branch))).commit,
    async save(tx) {
      await insertRepository(tx, {
        ...{ id: repositoryId, account_id: null, org_id: null, github_id: null, host: kind, name },
        ...{ created_at: clock.now(), is_behind: 0, pushed_by: null, stored_bytes: null },
      })
      const none = sealHostSecrets(keyring.current, repositoryId, { token: '', webhook: '' })
      await insertHostRepository(tx, { repository_id: repositoryId, kind, ...at, webhook_id: null, ...none })
    },
  }
}

/** Why a URL without a token is not connected. */
export const notPublic = (name: string, tokenHints: string): Fault =>
  new Fault(
    'invalid_request',
    new URL(name).host === 'github.com'
      ? `repo: GitHub shows no public repository ${name}. Private ones are connected with the GitHub App, as owner/name: svc git connect ${new URL(name).pathname.slice(1)}`
      : `access_token: is needed for ${name}, which is not public. Make one there: ${tokenHints}`,
  )
