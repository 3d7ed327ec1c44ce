// Talks to GitLab and Gitea with the tokens of users.
import { z } from 'zod'
import { CommitNotFetched, checkOutFrom } from '../../lib/git/fetch-commit.ts'
import { type Call, dialects } from './dialects.ts'
import { downloadLargeFiles } from './large-files.ts'
import {
  GitHostError,
  type GitHostKind,
  type GitHosts,
  gitHostNames,
  type HostedRepository,
  tokenUser,
} from './port.ts'
import { publicBranch } from './public.ts'
import { type Answer, addressOf, ask, type HostNetwork, requireSuccess } from './requests.ts'

export function gitHosts(network: HostNetwork): GitHosts {
  const ending = new AbortController()

  /** Resolves with the JSON of a successful answer. */
  async function call(at: HostedRepository, what: Call): Promise<unknown> {
    const headers = dialects[at.kind].authorization(at.token.reveal())
    const answer = await ask(network, { baseUrl: at.baseUrl, headers, signal: ending.signal }, what)
    requireSuccess(at.kind, what, answer)
    return answer.json
  }

  async function isOfKind(baseUrl: string, kind: GitHostKind): Promise<boolean> {
    const path = dialects[kind].version
    const answer = await ask(
      network,
      { baseUrl, headers: {}, signal: ending.signal },
      { method: 'GET', path },
    )
    return isVersionOf[kind](answer)
  }

  return {
    async kindOf(baseUrl) {
      for (const kind of ['gitea', 'gitlab'] as const) if (await isOfKind(baseUrl, kind)) return kind
      return undefined
    },
    async defaultBranch(at) {
      const { repository, defaultBranchOf } = dialects[at.kind]
      return understood(at.kind, defaultBranchOf, await call(at, repository(at.path)))
    },
    async addWebhook(at, hook) {
      const made = await call(at, dialects[at.kind].addWebhook(at.path, hook))
      return understood(at.kind, answer => z.object({ id: z.number().int() }).parse(answer).id, made)
    },
    async removeWebhook(at, id) {
      await orIfMissing(() => call(at, dialects[at.kind].removeWebhook(at.path, id)))
    },
    head: (at, branch) =>
      orIfMissing(async () => {
        const { branch: ofBranch, commitOf } = dialects[at.kind]
        return understood(at.kind, commitOf, await call(at, ofBranch(at.path, branch)))
      }),
    async setStatus(at, sha, status) {
      await call(at, dialects[at.kind].setStatus(at.path, sha, status))
    },
    async checkOut(at, sha, dir, signal) {
      const url = `${at.baseUrl}/${at.path}.git`
      const address = await addressOf(network, new URL(url))
      const credentials = async () => ({ user: tokenUser, token: at.token.reveal() })
      const fetch = { owner: `host ${at.baseUrl}`, url, sha, credentials, address }
      return await refusedIfNotFetched(gitHostNames[at.kind], () => checkOutFrom(fetch, dir, signal))
    },
    async checkOutPublic({ url, sha }, dir, gitDir, signal) {
      const asked = new URL(url)
      const address = await addressOf(network, asked)
      const fetch = { owner: `host ${asked.origin}`, url, sha, address }
      const checkOut = (from: string) => checkOutFrom({ ...fetch, url: from }, dir, signal, gitDir)
      return await refusedIfNotFetched(asked.host, () =>
        checkOut(url).catch(error => {
          if (!isRedirected(error) || url.endsWith('.git')) throw error
          return checkOut(`${url}.git`)
        }),
      )
    },
    publicBranch: (url, branch) => publicBranch(network, { url, branch, signal: ending.signal }),
    downloadLargeFiles: (from, files, folder, signal) =>
      downloadLargeFiles(network, from, files, folder, AbortSignal.any([signal, ending.signal])),
    isSigned: (kind, request, secret) => dialects[kind].isSigned(request, secret),
    endRequests: () => ending.abort(),
  }
}

/** GitLab wants a token even for its version, and says so in its own words. */
const isVersionOf: Record<GitHostKind, (answer: Answer) => boolean> = {
  gitea: ({ status, json }) => status === 200 && z.object({ version: z.string() }).safeParse(json).success,
  gitlab: ({ status, json }) =>
    (status === 401 && z.object({ message: z.string() }).safeParse(json).success) ||
    (status === 200 && z.object({ version: z.string(), revision: z.string() }).safeParse(json).success),
}

function understood<T>(kind: GitHostKind, read: (answer: unknown) => T, answer: unknown): T {
  try {
    return read(answer)
  } catch {
    throw new GitHostError('refused', `${gitHostNames[kind]} gave an answer that svcd does not understand.`)
  }
}

/** GitLab redirects URLs without `.git`, and git follows no redirect here, since it could lead to an address that nobody checked. */
const isRedirected = (error: unknown): boolean =>
  error instanceof CommitNotFetched && /returned error: 30\d/.test(error.message)

async function refusedIfNotFetched<T>(host: string, checkOut: () => Promise<T>): Promise<T> {
  try {
    return await checkOut()
  } catch (error) {
    if (!(error instanceof CommitNotFetched)) throw error
    throw new GitHostError('refused', `${host}: ${error.message}`)
  }
}

async function orIfMissing<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof GitHostError && error.kind === 'missing') return undefined
    throw error
  }
}
