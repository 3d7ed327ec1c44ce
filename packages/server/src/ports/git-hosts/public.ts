// Looks at a repository that anybody may read, at any git host.
import { GitFailed } from '../../lib/git/programs.ts'
import { remoteBranch, wordsOfCommit } from '../../lib/git/remote-branch.ts'
import { GitHostError, type GitHosts } from './port.ts'
import { addressOf, type HostNetwork } from './requests.ts'

interface Asked {
  url: string
  branch: string | undefined
  signal: AbortSignal
}

export async function publicBranch(
  network: HostNetwork,
  { url, branch, signal }: Asked,
): ReturnType<GitHosts['publicBranch']> {
  const { origin, host } = new URL(url)
  const address = await addressOf(network, new URL(url))
  const repository = { owner: `host ${origin}`, url, address, signal }
  try {
    const { name, sha } = await remoteBranch(repository, branch)
    if (sha === undefined) return { name, commit: undefined }
    return { name, commit: { sha, ...(await wordsOfCommit(repository, sha)) } }
  } catch (error) {
    throw error instanceof GitFailed ? inWords(error, host) : error
  }
}

/** What git says of a host that wants a password, or has nothing there. Redirects are not followed. */
const noneThere =
  /could not read Username|Authentication failed|' not found|returned error: (30\d|40[134]|410)/

const inWords = ({ message }: GitFailed, host: string): GitHostError =>
  noneThere.test(message)
    ? new GitHostError('missing', `${host} shows no such repository to everybody.`)
    : message.includes('returned error: 429')
      ? new GitHostError('limited', `${host} limits how often the platform may ask.`)
      : new GitHostError('unreachable', `${host} does not answer as a git host does.`)
