// The access token of a repository at GitLab, Gitea or Forgejo: from an option, stdin or the terminal.
import { ApiError } from '@svc/contract/client'
import { notice } from '../../output.ts'
import { askSecretly, canAsk } from '../../prompt.ts'
import { readStdin } from '../../stdin.ts'

/** True for a URL, as opposed to `owner/name`. */
export const isHostUrl = (repo: string): boolean => repo.includes('://')

const stdin = { what: 'the access token', maxBytes: 500, tooLong: 'The access token is too long.' }

/**
 * Connects with the token that was given. Without one, connects as before if the platform has a token already, and asks for
 * one at the terminal if it has not.
 */
export async function withHostToken<T>(
  repo: string,
  given: string | undefined,
  connect: (token: string | undefined) => Promise<T>,
): Promise<T> {
  if (!isHostUrl(repo)) return await connect(undefined)
  const token = given === '-' ? await readStdin(stdin) : given
  if (token !== undefined || !canAsk()) return await connect(token)
  try {
    return await connect(undefined)
  } catch (error) {
    if (!(error instanceof ApiError) || !error.message.startsWith('access_token')) throw error
    notice(error.message.replace(/^access_token: /, 'An access token '))
    return await connect(await askSecretly('Access token: '))
  }
}
