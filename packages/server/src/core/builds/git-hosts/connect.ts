// Connects a repository at GitLab or Gitea: with a token of its user, and a webhook that reports pushes. Without a token, see public.ts.
import { Fault } from '../../../lib/fault.ts'
import { newId, newSecret } from '../../../lib/ids.ts'
import { Secret } from '../../../lib/secret.ts'
import {
  GitHostError,
  type GitHostKind,
  gitHostNames,
  type HostedRepository,
} from '../../../ports/git-hosts/port.ts'
import { findHostRepository, insertHostRepository } from '../../../store/builds/git-hosts.ts'
import { findProjectRepo, insertRepository } from '../../../store/builds/repositories.ts'
import type { GitHostRepositoryRow } from '../../../store/tables.ts'
import { atGitHost, atPublicHost } from '../../base/git-host-faults.ts'
import type { Platform, Rows, Vault } from '../../base/platform.ts'
import type { ProjectScope } from '../../orgs/rights.ts'
import type { ChosenRepository } from '../chosen-repository.ts'
import { type HostAddress, readHostAddress } from './address.ts'
import { choosePublic, notPublic, publicUrl } from './public.ts'
import { hostedRepository, sealHostSecrets } from './secrets.ts'

export type HostParts = Rows & Vault & Pick<Platform, 'allowPrivateTargets' | 'gitHosts' | 'urls'>

interface Wanted {
  repo: string
  forge?: string | undefined
  access_token?: string | undefined
}

/** Where the pages of the hosts make tokens, and what a token must be allowed to do. */
const tokenHints: Record<GitHostKind, string> = {
  gitlab: 'a project or personal access token with the scope api, of a maintainer',
  gitea: 'an access token with write permission for repositories, of an admin of the repository',
}

export async function chooseAtHost(
  platform: HostParts,
  project: ProjectScope,
  { repo, forge, access_token: token }: Wanted,
): Promise<ChosenRepository> {
  const address = readHostAddress(repo, { allowHttp: platform.allowPrivateTargets })
  if (token === undefined) return await withoutToken(platform, project, address, forge)
  if (forge === 'public')
    throw new Fault('invalid_request', 'access_token: a public repository is connected without one')
  const kind = isHostKind(forge) ? forge : await kindOf(platform, address)
  if (kind === 'gitea' && address.path.split('/').length !== 2)
    throw new Fault('invalid_request', 'repo: must be <host>/<owner>/<name>')
  return await withToken(platform, address, {
    kind,
    baseUrl: address.baseUrl,
    path: address.path,
    token: new Secret(token),
  })
}

const isHostKind = (forge: string | undefined): forge is GitHostKind =>
  forge === 'gitlab' || forge === 'gitea'

async function kindOf({ gitHosts }: HostParts, { baseUrl }: HostAddress): Promise<GitHostKind> {
  const kind = await atGitHost(() => gitHosts.kindOf(baseUrl))
  if (kind) return kind
  throw new Fault(
    'invalid_request',
    `repo: ${baseUrl} does not answer as GitLab, Gitea or Forgejo do. If it is one of them, name it: --forge gitlab, or --forge gitea`,
  )
}

/** Settings of the build change, or everybody may read the repository. */
async function withoutToken(
  platform: HostParts,
  project: ProjectScope,
  address: HostAddress,
  forge: string | undefined,
): Promise<ChosenRepository> {
  const before = await sameAsBefore(platform, project, address)
  if (before) return before
  const found = isHostKind(forge) ? undefined : await choosePublic(platform, address)
  if (!found) throw notPublic(address.name, `${tokenHints.gitlab}, or ${tokenHints.gitea}`)
  return found
}

/** The token and the webhook stay. */
async function sameAsBefore(
  platform: HostParts,
  project: ProjectScope,
  { name }: HostAddress,
): Promise<ChosenRepository | undefined> {
  const { db } = platform.store
  const current = await findProjectRepo(db, project.id)
  const row = current?.repo === name && (await findHostRepository(db, current.repository_id ?? ''))
  if (!row) return undefined
  const { repository_id: repositoryId, kind } = row
  const same = { name, repositoryId, installationId: null, host: kind }
  return { ...same, defaultBranch: await defaultBranchOf(platform, row) }
}

async function defaultBranchOf(platform: HostParts, row: GitHostRepositoryRow): Promise<string> {
  const { gitHosts } = platform
  if (row.kind === 'public') {
    const url = publicUrl(row)
    return (await atPublicHost(url, () => gitHosts.publicBranch(url))).name
  }
  const at = hostedRepository(platform, { ...row, kind: row.kind })
  return await atGitHost(() => gitHosts.defaultBranch(at))
}

async function withToken(
  platform: HostParts,
  { name }: HostAddress,
  at: HostedRepository,
): Promise<ChosenRepository> {
  const { gitHosts } = platform
  const repositoryId = newId('rep')
  const secret = newSecret()
  const defaultBranch = await atGitHost(() => gitHosts.defaultBranch(at))
  const webhook = await addWebhook(platform, at, { repositoryId, secret })
  return {
    ...{ name, repositoryId, installationId: null, host: at.kind, defaultBranch },
    head: branch => atGitHost(() => gitHosts.head(at, branch)),
    async save(tx) {
      await insertRepository(tx, {
        ...{ id: repositoryId, account_id: null, org_id: null, github_id: null, host: at.kind, name },
        ...{ created_at: platform.clock.now(), is_behind: 0, pushed_by: null, stored_bytes: null },
      })
      // Sealed in the transaction that holds the project's row, as a rotation of the keys expects.
      const sealed = sealHostSecrets(platform.keyring.current, repositoryId, {
        token: at.token.reveal(),
        webhook: secret,
      })
      await insertHostRepository(tx, {
        ...{ repository_id: repositoryId, kind: at.kind, base_url: at.baseUrl, path: at.path },
        ...{ webhook_id: webhook, ...sealed },
      })
    },
    discard: () => gitHosts.removeWebhook(at, webhook),
  }
}

async function addWebhook(
  { gitHosts, urls }: HostParts,
  at: HostedRepository,
  { repositoryId, secret }: { repositoryId: string; secret: string },
): Promise<number> {
  try {
    return await gitHosts.addWebhook(at, { url: `${urls.api}/hooks/git/${repositoryId}`, secret })
  } catch (error) {
    if (!(error instanceof GitHostError) || (error.kind !== 'refused' && error.kind !== 'missing'))
      return await atGitHost(() => Promise.reject(error))
    throw new Fault(
      'invalid_request',
      `access_token: ${gitHostNames[at.kind]} does not let it add the webhook that reports pushes. It must be ${tokenHints[at.kind]}. (${error.message})`,
      { cause: error },
    )
  }
}
