// Uses GitHub as a GitHub App. Git fetches the files of a commit, and the REST API does everything else.
import { verify } from '@octokit/webhooks-methods'
import { CommitNotFetched, checkOutFrom } from '../../lib/git/fetch-commit.ts'
import { Secret } from '../../lib/secret.ts'
import type { GitCommit } from '../git-repos/port.ts'
import { checkApp } from './check.ts'
import { githubDeviceLogin } from './device-login.ts'
import {
  type GitHub,
  type GitHubApp,
  GitHubError,
  type GitHubInstallation,
  type GitHubRepository,
  type RepositoryAt,
  type RepositoryInstallation,
} from './port.ts'
import { githubReports } from './reports.ts'
import { type Answer, githubRequests, PendingRequests } from './requests.ts'
import { AppTokens, type Purpose } from './tokens.ts'

const pageSize = 100
const tokenUser = 'x-access-token'
const pagesAtMost = 20

export function githubOf(app: GitHubApp, userAgent: string): GitHub {
  const pending = new PendingRequests()
  const cloneUrl = (at: RepositoryAt) => `${app.url}/${at.fullName}.git`
  const send = githubRequests({ apiUrl: app.apiUrl, userAgent, pending })
  const tokens = new AppTokens({ appId: app.appId, privateKey: app.privateKey.reveal() }, send)

  /** Sends a request as the App, with a token for one repository. */
  const withToken = async (
    at: RepositoryInstallation,
    purpose: Purpose,
    route: string,
    parameters: Record<string, unknown> = {},
  ): Promise<Answer> => {
    try {
      const token = await tokens.forRepository(at, purpose)
      return await send(route, `Bearer ${token}`, parameters)
    } catch (error) {
      if (error instanceof GitHubError && error.kind === 'unauthorized') tokens.forget(at)
      throw error
    }
  }

  const inRepository = (
    at: RepositoryAt,
    purpose: Purpose,
    route: string,
    parameters: Record<string, unknown> = {},
  ): Promise<Answer> => {
    const [owner, repo] = at.fullName.split('/')
    return withToken(at, purpose, route, { owner, repo, ...parameters })
  }

  const commit = (at: RepositoryAt, ref: string): Promise<GitCommit | undefined> =>
    orUndefined(async () => {
      const { data } = await inRepository(at, 'read', 'GET /repos/{owner}/{repo}/commits/{ref}', { ref })
      const { message = '', author } = data.commit ?? {}
      return { sha: String(data.sha), message: String(message).trim(), author: String(author?.name ?? '') }
    })

  return {
    installUrl: `${app.url}/apps/${app.slug}/installations/new`,
    avatarUrl: login => `${app.url}/${encodeURIComponent(login)}.png`,
    imageOrigins: [new URL(app.url).origin, 'https://avatars.githubusercontent.com'],
    endRequests: () => pending.end(),
    async check() {
      const { data } = await send('GET /app', await tokens.forApp())
      return checkApp(app, data)
    },
    isSignedByGitHub: (body, signature) =>
      body.length === 0 || signature === ''
        ? Promise.resolve(false)
        : verify(app.webhookSecret.reveal(), body.toString('utf8'), signature),
    ...githubDeviceLogin(app, githubRequests({ apiUrl: app.url, userAgent, pending })),

    async userBehind(token) {
      const { data } = await send('GET /user', `Bearer ${token}`)
      return { id: Number(data.id), login: String(data.login), email: data.email ? String(data.email) : null }
    },
    installationsFor: token =>
      pages(
        page => send('GET /user/installations', `Bearer ${token}`, page),
        'installations',
        installationOf,
      ),
    repositoriesFor: (token, installation_id) =>
      pages(
        page =>
          send('GET /user/installations/{installation_id}/repositories', `Bearer ${token}`, {
            installation_id,
            ...page,
          }),
        'repositories',
        repositoryOf,
      ),
    repositoryFor: (token, fullName) =>
      orUndefined(async () => {
        const [owner, repo] = fullName.split('/')
        const { data } = await send('GET /repos/{owner}/{repo}', `Bearer ${token}`, { owner, repo })
        return repositoryOf(data)
      }),
    installationOn: fullName =>
      orUndefined(async () => {
        const [owner, repo] = fullName.split('/')
        const own = await tokens.forApp()
        const { data } = await send('GET /repos/{owner}/{repo}/installation', own, { owner, repo })
        return installationOf(data)
      }),

    installation: id =>
      orUndefined(async () => {
        const own = await tokens.forApp()
        return installationOf(
          (await send('GET /app/installations/{installation_id}', own, { installation_id: id })).data,
        )
      }),
    repositoryIn: at =>
      orUndefined(async () => {
        // The token is for this repository alone, and so is the list.
        const { data } = await withToken(at, 'read', 'GET /installation/repositories')
        const all: unknown[] = data.repositories ?? []
        return all.map(repositoryOf).find(({ id }) => id === at.repositoryId)
      }),

    // With `heads/` before the name, GitHub does not take it for a tag or an abbreviated commit.
    head: (at, branch) => commit(at, `heads/${branch}`),
    commit,
    pull: (at, pull_number) =>
      orUndefined(async () => {
        const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
        const { data } = await inRepository(at, 'report', route, { pull_number })
        return {
          number: Number(data.number),
          isOpen: data.state === 'open',
          sha: String(data.head.sha),
          branch: String(data.head.ref),
          label: labelOf(data),
          // The fork of a deleted account has no repository any more. It is still a fork.
          isFork: data.head.repo?.id !== at.repositoryId,
        }
      }),
    async treeOf(at, sha, folder) {
      let tree = sha
      for (const name of folder.split('/')) {
        const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'
        const { data } = await inRepository(at, 'read', route, { tree_sha: tree })
        const entries: { path?: unknown; type?: unknown; sha?: unknown }[] = data.tree ?? []
        const found = entries.find(entry => entry.path === name && entry.type === 'tree')
        if (!found) return undefined
        tree = String(found.sha)
      }
      return tree
    },
    cloneUrl,
    readCredentials: async at => ({
      user: tokenUser,
      token: new Secret(await tokens.forRepository(at, 'read')),
    }),
    checkOut: (at, sha, dir, signal) => {
      const url = cloneUrl(at)
      const credentials = async () => ({
        user: tokenUser,
        token: await tokens.forRepository(at, 'read'),
      })
      const forgetToken = () => tokens.forget(at)
      const owner = `installation ${at.installationId}`
      const fetch = { owner, url, sha, credentials, forgetToken, isPassing: isUnreachable }
      return refusedIfNotFetched(() => checkOutFrom(fetch, dir, signal))
    },
    ...githubReports(app, (at, route, parameters) => inRepository(at, 'report', route, parameters)),
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof GitHubError && error.kind === 'unreachable'

async function refusedIfNotFetched<T>(checkOut: () => Promise<T>): Promise<T> {
  try {
    return await checkOut()
  } catch (error) {
    throw error instanceof CommitNotFetched ? new GitHubError('refused', error.message) : error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as GitHub sends it
const installationOf = (data: any): GitHubInstallation => ({
  id: Number(data.id),
  account: String(data.account?.login ?? data.account?.slug ?? ''),
  isSuspended: data.suspended_at != null,
})

// biome-ignore lint/suspicious/noExplicitAny: as GitHub sends it
function labelOf({ head, base }: any): string {
  const [label, name] = [String(head.label), head.repo?.name]
  return name === undefined || name === base?.repo?.name ? label : label.replace(':', `/${name}:`)
}

// biome-ignore lint/suspicious/noExplicitAny: as GitHub sends it
const repositoryOf = (data: any): GitHubRepository => ({
  id: Number(data.id),
  fullName: String(data.full_name),
  isPrivate: data.private === true,
  defaultBranch: String(data.default_branch ?? 'main'),
  mayPush: data.permissions?.push === true,
})

/** 422 is GitHub's answer for a commit that does not exist. */
async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const isMissing = error instanceof GitHubError && /missing/.test(error.kind)
    if (isMissing || (error instanceof GitHubError && error.message.includes('answered 422')))
      return undefined
    throw error
  }
}

async function pages<T>(
  ask: (page: { per_page: number; page: number }) => Promise<Answer>,
  field: string,
  read: (row: unknown) => T,
): Promise<T[]> {
  const rows: T[] = []
  for (let page = 1; page <= pagesAtMost; page++) {
    const { data, hasNext } = await ask({ per_page: pageSize, page })
    rows.push(...(data[field] as unknown[]).map(read))
    if (!hasNext) break
  }
  return rows
}
