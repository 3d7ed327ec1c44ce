// Gives the platform access to a repository at GitHub: links the account, and has the GitHub App installed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Forge } from '@svc/contract'
import { ApiError, type SparseClient } from '@svc/contract/client'
import { openBrowser } from '../../browser.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, cyan, notice, print } from '../../output.ts'
import { isHostUrl } from './host-token.ts'
import { link } from './link.ts'

const pollMs = 3_000
const waitMs = 15 * 60_000

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_found'
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'network_error' || error.code === 'unavailable')

/** Connects a repository. If the platform has no access to it at GitHub, shows how to give access, and waits. */
export async function withAccess<T>(
  call: SparseClient,
  repo: string,
  forge: Forge | undefined,
  connect: () => Promise<T>,
): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    if (!isMissing(error) || forge === 'builtin' || isHostUrl(repo)) throw error
    // An older platform knows nothing of GitHub, and a missing project stays missing: then the first error is the answer.
    const github = await call('GET /github').catch(() => undefined)
    if (!github?.install_url || /^There is no project/.test((error as Error).message)) throw error
    if (github.linked === false) {
      await link(call)
      const connected = await connect().catch(later => {
        if (!isMissing(later)) throw later
      })
      if (connected !== undefined) return connected as T
    }
    return await afterInstall(repo, github.install_url, connect)
  }
}

async function afterInstall<T>(repo: string, installUrl: string, connect: () => Promise<T>): Promise<T> {
  print(`The platform has no access to ${bold(clean(repo))} at GitHub yet.`)
  print(`Install its GitHub App there: ${cyan(clean(installUrl))}`)
  void openBrowser(installUrl)
  notice('Waiting until it is installed, and you may push to the repository. Ctrl-C ends this.')
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; ) {
    await sleep(pollMs)
    try {
      return await connect()
    } catch (error) {
      if (!isMissing(error) && !isPassing(error)) throw error
    }
  }
  throw new Failure(`The GitHub App was not installed on ${repo}. Run svc git connect ${repo} again.`)
}
