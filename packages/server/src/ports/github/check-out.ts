// Fetches one commit from GitHub. Only the git process that fetches gets the token: it is in no argument, no URL and no file.
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOutTree } from '../../lib/git/check-out.ts'
import { GitFailed, runGit } from '../../lib/git/programs.ts'
import { GitHubError } from './port.ts'

/** The pauses between attempts. */
const pausesMs = [1_000, 5_000]

interface Fetch {
  /** Whose work it is. */
  owner: string
  /** The URL of the repository, without a secret. */
  url: string
  sha: string
  token(): Promise<string>
  /** Called before another attempt, since GitHub may no longer accept the token. */
  forgetToken(): void
}

export async function checkOutFrom(fetch: Fetch, dir: string, signal: AbortSignal): Promise<void> {
  const gitDir = `${dir}.git`
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { owner: fetch.owner, signal })
    for (const pause of [...pausesMs, undefined])
      try {
        await fetchOnce(fetch, gitDir, signal)
        break
      } catch (error) {
        if (!isPassing(error)) throw error
        if (pause === undefined) throw explain(error, fetch.sha)
        fetch.forgetToken()
        await sleep(pause, undefined, { signal })
      }
    await checkOutTree(fetch.sha, dir, { owner: fetch.owner, gitDir, signal })
  } finally {
    await rm(gitDir, { recursive: true, force: true })
  }
}

/** Whether a retry may succeed: after an outage, or if the commit has not reached all servers of GitHub yet. */
const isPassing = (error: unknown): error is Error =>
  error instanceof GitFailed || (error instanceof GitHubError && error.kind === 'unreachable')

function explain(error: Error, sha: string): Error {
  if (!(error instanceof GitFailed)) return error
  const said = error.message.split('\n').at(-1) ?? ''
  return new GitHubError(
    'refused',
    `The commit ${sha.slice(0, 10)} could not be fetched from GitHub: ${said}`,
  )
}

async function fetchOnce(
  { owner, url, sha, token }: Fetch,
  gitDir: string,
  signal: AbortSignal,
): Promise<void> {
  const credentials = Buffer.from(`x-access-token:${await token()}`).toString('base64')
  const config: [string, string][] = [
    ['http.extraHeader', `Authorization: Basic ${credentials}`],
    // After a redirect, git would send the header with the token to another server.
    ['http.followRedirects', 'false'],
    [`protocol.${new URL(url).protocol.slice(0, -1)}.allow`, 'always'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
  ]
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) }
  for (const [index, [key, value]] of config.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  await runGit(['fetch', '--quiet', '--no-tags', '--depth=1', url, sha], {
    owner,
    gitDir,
    env,
    signal,
    work: 'work',
  })
}
