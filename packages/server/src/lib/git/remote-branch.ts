// Asks another git host for a branch of a repository that anybody may read, without a token.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { networkEnvironment } from './network.ts'
import { GitFailed, runGit } from './programs.ts'

interface RemoteRepository {
  /** Whose work it is. */
  owner: string
  url: string
  /** The address that the name in the URL stands for. */
  address: string
  signal: AbortSignal
}

interface RemoteBranch {
  name: string
  /** `undefined` if there is no such branch. */
  sha: string | undefined
}

/** The named branch, or the one that a clone checks out. Rejects with GitFailed. */
export async function remoteBranch(
  { owner, url, address, signal }: RemoteRepository,
  branch: string | undefined,
): Promise<RemoteBranch> {
  const wanted = branch === undefined ? 'HEAD' : `refs/heads/${branch}`
  const answer = await runGit(['ls-remote', '--symref', url, wanted], {
    ...{ owner, signal, work: 'look', env: networkEnvironment({ url, address }) },
  })
  let [name, sha]: [string, string | undefined] = [branch ?? 'main', undefined]
  for (const line of answer.split('\n')) {
    const [value = '', ref] = line.split('\t')
    if (ref !== wanted) continue
    if (value.startsWith('ref: refs/heads/')) name = value.slice('ref: refs/heads/'.length)
    else if (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(value)) sha = value
  }
  return { name, sha }
}

/** The message and the author of a commit. Both are empty if the host does not give the commit without its files. */
export async function wordsOfCommit(
  { owner, url, address, signal }: RemoteRepository,
  sha: string,
): Promise<{ message: string; author: string }> {
  const gitDir = await mkdtemp(path.join(tmpdir(), 'svcd-look-'))
  const options = { owner, gitDir, signal, work: 'look' } as const
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { owner, signal, work: 'look' })
    const env = networkEnvironment({ url, address })
    await runGit(['fetch', '--quiet', '--no-tags', '--depth=1', '--filter=tree:0', url, sha], {
      ...{ ...options, env },
    })
    const said = await runGit(['log', '--max-count=1', '--format=%an%x00%B', sha], options)
    const [author = '', message = ''] = said.split('\0')
    return { author, message: message.trim() }
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    return { author: '', message: '' }
  } finally {
    await rm(gitDir, { recursive: true, force: true })
  }
}
