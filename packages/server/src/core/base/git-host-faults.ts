// Turns errors of other git hosts into faults with a message for the caller.
import { Fault } from '../../lib/fault.ts'
import { GitHostError, type GitHostErrorKind } from '../../ports/git-hosts/port.ts'

const words: Record<GitHostErrorKind, (error: GitHostError) => Fault> = {
  unreachable: cause =>
    new Fault('unavailable', `${cause.message} Try again in a minute.`, { cause, retryAfter: 60 }),
  limited: cause =>
    new Fault(
      'unavailable',
      'The git host limits how often the platform may ask. Try again in a few minutes.',
      {
        cause,
        retryAfter: 300,
      },
    ),
  unauthorized: cause =>
    new Fault('invalid_request', 'access_token: the git host does not accept it. Make another one there.', {
      cause,
    }),
  missing: cause =>
    new Fault('not_found', 'The git host shows no such repository to the owner of this access token.', {
      cause,
    }),
  refused: cause => new Fault('invalid_request', cause.message, { cause }),
}

/** Runs requests to a git host. Throws a Fault if one fails. */
export async function atGitHost<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof GitHostError ? words[error.kind](error) : error
  }
}

/** The same for a repository that is read without a token. */
export const atPublicHost = <T>(url: string, ask: () => Promise<T>): Promise<T> =>
  atGitHost(async () => {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof GitHostError) || error.kind !== 'missing') throw error
      throw new Fault('not_found', `${new URL(url).host} shows no public repository at ${url} any more.`, {
        cause: error,
      })
    }
  })
