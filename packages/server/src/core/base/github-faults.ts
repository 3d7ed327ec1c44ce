// Turns errors of GitHub into faults with a message for the caller, and requires that GitHub is set up.
import { Fault } from '../../lib/fault.ts'
import { type GitHub, GitHubError, type GitHubErrorKind } from '../../ports/github/port.ts'
import type { Platform } from './platform.ts'

const words: Record<GitHubErrorKind, (error: GitHubError) => Fault> = {
  unreachable: cause =>
    new Fault('unavailable', 'GitHub does not answer. Try again in a minute.', { cause, retryAfter: 60 }),
  limited: cause =>
    new Fault('unavailable', 'GitHub limits how often the platform may ask. Try again in a few minutes.', {
      cause,
      retryAfter: 300,
    }),
  suspended: cause =>
    new Fault(
      'invalid_request',
      "The installation of the GitHub App is suspended. Its owner ends that on GitHub's page of the installation.",
      { cause },
    ),
  unauthorized: cause =>
    new Fault('invalid_request', 'GitHub no longer knows this login. Log in again: svc login', { cause }),
  missing: cause =>
    new Fault(
      'not_found',
      'The GitHub App has no access to this repository. Install it there, or grant it access.',
      {
        cause,
      },
    ),
  refused: cause => new Fault('invalid_request', cause.message, { cause }),
}

/** Runs requests to GitHub. Throws a Fault if one fails. */
export async function atGitHub<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof GitHubError ? words[error.kind](error) : error
  }
}

export function requireGitHub(platform: Pick<Platform, 'github'>): GitHub {
  if (!platform.github)
    throw new Fault(
      'not_found',
      'This platform does not use GitHub. Its operator turns it on with SVCD_FORGE.',
    )
  return platform.github
}
