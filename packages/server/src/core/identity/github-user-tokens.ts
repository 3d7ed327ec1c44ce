// Tokens of GitHub users: encrypted in the database, and refreshed before they expire.
import type { GitHubUser, UserToken } from '../../ports/github/port.ts'
import { githubUserOf, replaceUserToken, saveGitHubUser } from '../../store/identity/github-users.ts'
import type { Tx } from '../../store/store.ts'
import type { GitHubUserRow } from '../../store/tables.ts'
import type { GitHubParts, Platform } from '../base/platform.ts'

/** The place that an encrypted token is bound to. It cannot be decrypted for another account. */
export const placeOfUserToken = (accountId: string): string[] => ['github user', accountId]

/** A token is refreshed this long before it expires. */
const spareMs = 5 * 60_000

export async function keepUser(
  platform: Pick<Platform, 'clock' | 'keyring'>,
  tx: Tx,
  accountId: string,
  user: GitHubUser,
  token: UserToken,
): Promise<void> {
  await saveGitHubUser(tx, {
    account_id: accountId,
    github_id: user.id,
    login: user.login,
    ...sealToken(platform, accountId, token),
  })
}

const sealToken = (platform: Pick<Platform, 'clock' | 'keyring'>, accountId: string, token: UserToken) => ({
  ...platform.keyring.current.seal(JSON.stringify(token), placeOfUserToken(accountId)),
  updated_at: platform.clock.now(),
})

/** `undefined` if the account is not linked to GitHub, or must sign in there again. */
export async function userTokenOf(platform: GitHubParts, accountId: string): Promise<string | undefined> {
  const row = await githubUserOf(platform.store.db, accountId)
  if (!row) return undefined
  const stored = open(platform, row)
  if (stored.expiresAt === null || stored.expiresAt - spareMs > platform.clock.now()) return stored.token
  if (stored.refreshToken === null) return undefined
  const fresh = await platform.github?.refreshUserToken(stored.refreshToken)
  if (fresh && (await replaceUserToken(platform.store.db, row, sealToken(platform, accountId, fresh))))
    return fresh.token
  // A refresh token works once. If another request used it first, its result is stored by now.
  const newer = await githubUserOf(platform.store.db, accountId)
  return newer && newer.sealed !== row.sealed ? open(platform, newer).token : undefined
}

const open = (platform: Pick<Platform, 'keyring'>, row: GitHubUserRow): UserToken =>
  JSON.parse(platform.keyring.open(row, placeOfUserToken(row.account_id))) as UserToken
