// Fetches one commit from another git host. Only the git process that fetches gets the token: it is in no argument, no URL and
// no file.
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOutTree } from './check-out.ts'
import { networkEnvironment } from './network.ts'
import { GitFailed, runGit } from './programs.ts'
import type { Submodule } from './submodules.ts'

/** The pauses between attempts. */
const pausesMs = [1_000, 5_000]

interface Fetch {
  /** Whose work it is. */
  owner: string
  /** The URL of the repository, without a secret. */
  url: string
  sha: string
  /** User name and password. A token may need a request first. Not for public repositories. */
  credentials?(): Promise<{ user: string; token: string }>
  /** The address that the name in the URL stands for. Without it, git looks the name up. */
  address?: string
  /** Whether another attempt may succeed where one failed before git began. */
  isPassing?(error: unknown): boolean
  /** Called before another attempt, since the host may no longer accept the token. */
  forgetToken?(): void
}

/** The host did not give the commit, after several attempts. The message is git's. */
export class CommitNotFetched extends Error {
  override readonly name = 'CommitNotFetched'
}

/** Writes the files of the commit into an empty directory. `gitDir` is for the repository, while this runs. */
export async function checkOutFrom(
  fetch: Fetch,
  dir: string,
  signal: AbortSignal,
  gitDir = `${dir}.git`,
): Promise<Submodule[]> {
  const { owner, isPassing = () => false } = fetch
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { owner, signal })
    for (const pause of [...pausesMs, undefined])
      try {
        await fetchOnce(fetch, gitDir, signal)
        break
      } catch (error) {
        // After an outage, or if the commit has not reached all servers of the host yet.
        if (!(error instanceof GitFailed) && !isPassing(error)) throw error
        if (pause === undefined) throw explained(error, fetch.sha)
        fetch.forgetToken?.()
        await sleep(pause, undefined, { signal })
      }
    return await checkOutTree(fetch.sha, dir, { owner, gitDir, signal, index: `${gitDir}.index` })
  } finally {
    await rm(gitDir, { recursive: true, force: true })
  }
}

function explained(error: unknown, sha: string): unknown {
  if (!(error instanceof GitFailed)) return error
  const said = error.message.split('\n').at(-1) ?? ''
  return new CommitNotFetched(`The commit ${sha.slice(0, 10)} could not be fetched: ${said}`)
}

async function fetchOnce(
  { owner, url, sha, credentials, address }: Fetch,
  gitDir: string,
  signal: AbortSignal,
): Promise<void> {
  const env = networkEnvironment({ url, address, credentials: await credentials?.() })
  await runGit(['fetch', '--quiet', '--no-tags', '--depth=1', url, sha], {
    owner,
    gitDir,
    env,
    signal,
    work: 'work',
  })
}
