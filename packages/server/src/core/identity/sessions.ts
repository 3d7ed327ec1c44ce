// Sessions of the dashboard. A session is a `cli` token with a label that no other token has.
import { revokeLabelled, revokeTokens, usableTokens } from '../../store/identity/accounts.ts'
import { endUnfinished } from '../../store/identity/challenges.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows } from '../base/platform.ts'
import { requireEnabled } from './disabled.ts'
import { newDeviceSecret } from './known-devices.ts'
import { makeToken, webConsoleLabel } from './tokens.ts'

/** The token of a new session, and the secret that makes this device a known one. */
export interface SignedIn {
  token: string
  device_secret: string
}

/** Throws if the account is disabled. */
export async function startSession(
  platform: Pick<Platform, 'clock' | 'keyring'>,
  tx: Tx,
  account: AccountRow,
): Promise<SignedIn> {
  requireEnabled(account)
  const session = { kind: 'cli', label: webConsoleLabel, accountId: account.id } as const
  const { token } = await makeToken(tx, platform.clock.now(), session)
  return { token, device_secret: newDeviceSecret(platform, account) }
}

/**
 * Ends the sessions of an account, except the one with this token, and everything that was begun in them. Returns how many
 * sessions it ended.
 */
export async function endSessions(
  tx: Tx,
  accountId: string,
  { now, except }: { now: number; except?: string | undefined },
): Promise<number> {
  await endUnfinished(tx, accountId)
  const tokens = await usableTokens(tx, accountId, { now, except })
  const sessions = tokens.filter(({ label }) => label === webConsoleLabel).map(({ id }) => id)
  await revokeTokens(tx, sessions, now)
  return sessions.length
}

/** A CLI token that was used to open the dashboard is not revoked, because it must keep working in the CLI. */
export async function signOut(platform: Rows, caller: Caller): Promise<void> {
  await revokeLabelled(platform.store.db, caller.tokenId, webConsoleLabel, platform.clock.now())
}
