// Unlinks an account from its GitHub user, such as one that a thief of the password linked to stay in.
import { Fault } from '../../lib/fault.ts'
import { deleteGitHubUser, githubUserOf } from '../../store/identity/github-users.ts'
import type { Caller } from '../base/caller.ts'
import { type Confirmation, whenConfirmed } from './confirmation.ts'
import { noteSecurityEvent } from './security-events.ts'
import { endSessions } from './sessions.ts'
import type { PasskeyParts } from './webauthn.ts'

/** The confirmation shows that the account has another way in: a password, or a passkey that works here. */
export async function unlinkGitHub(
  platform: PasskeyParts,
  caller: Caller,
  confirmation: Confirmation,
): Promise<void> {
  await whenConfirmed(platform, caller, confirmation, async (tx, account) => {
    const user = await githubUserOf(tx, account.id)
    if (!user) throw new Fault('not_found', 'Your account is not linked to a GitHub user.')
    await deleteGitHubUser(tx, account.id)
    // The GitHub user may have a session, and may have begun to link another user.
    await endSessions(tx, account.id, { now: platform.clock.now(), except: caller.tokenId })
    const details = { user: user.login }
    await noteSecurityEvent(platform, tx, { action: 'account.github-unlink', account, by: caller, details })
  })
}
