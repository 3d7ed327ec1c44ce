// Changes a password. It ends all sessions of the dashboard. Tokens for the CLI and for programs stay, unless the caller
// asks to revoke them, too.
import { Fault } from '../../lib/fault.ts'
import {
  findAccountByLogin,
  lockAccount,
  revokeTokens,
  setPassword,
  usableTokens,
} from '../../store/identity/accounts.ts'
import { denyApproved } from '../../store/identity/device-logins.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Actor } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows, Vault } from '../base/platform.ts'
import { newDeviceSecret } from './known-devices.ts'
import { hashPassword, validPassword, verifyPassword } from './passwords.ts'
import { noteSecurityEvent } from './security-events.ts'
import { endSessions } from './sessions.ts'

interface PasswordChanged {
  sessionsEnded: number
  tokensRevoked: number
  /** The labels of tokens that still work. */
  kept: string[]
}

/** For the operator. Needs no current password. */
export async function changePassword(
  platform: Rows,
  login: string,
  password: string,
  options: { revokeTokens?: boolean | undefined } = {},
): Promise<PasswordChanged> {
  const account = await findAccountByLogin(platform.store.db, login.toLowerCase())
  if (!account) throw new Fault('not_found', `There is no account '${login}'.`)
  const hash = await hashPassword(validPassword(password), 'operator')
  return await replacePassword(platform, account, hash, { ...options, by: { ip: '' } })
}

export async function changeOwnPassword(
  platform: Rows & Vault,
  caller: Caller,
  input: { current_password: string; new_password: string; revoke_tokens?: boolean | undefined },
) {
  const account = await findAccountByLogin(platform.store.db, caller.account.login)
  if (!account || !(await verifyPassword(input.current_password, account.password_hash, account.id)))
    throw wrongPassword()
  const hash = await hashPassword(input.new_password, account.id)
  const options = { keep: caller.tokenId, revokeTokens: input.revoke_tokens, by: caller }
  const { sessionsEnded, tokensRevoked } = await replacePassword(platform, account, hash, options)
  return {
    ok: true as const,
    sessions_ended: sessionsEnded,
    tokens_revoked: tokensRevoked,
    device_secret: newDeviceSecret(platform, { ...account, password_hash: hash }),
  }
}

/** `account` is as it was when its password was checked: of two changes at the same time, one succeeds. */
export async function replacePassword(
  platform: Rows,
  account: AccountRow,
  hash: string,
  options: { keep?: string; revokeTokens?: boolean | undefined; by: Actor | { ip: string } },
  tooLate: () => Fault = wrongPassword,
): Promise<PasswordChanged> {
  const now = platform.clock.now()
  return await platform.store.transact(async tx => {
    await lockAccount(tx, account.id)
    const current = await findAccountByLogin(tx, account.login)
    if (current?.password_hash !== account.password_hash) throw tooLate()
    await setPassword(tx, account.id, hash)
    await noteSecurityEvent(platform, tx, { action: 'account.password', account, by: options.by })
    const except = options.keep
    const sessionsEnded = await endSessions(tx, account.id, { now, except })
    const tokens = await usableTokens(tx, account.id, { now, except })
    if (options.revokeTokens) {
      const ids = tokens.map(({ id }) => id)
      await revokeTokens(tx, ids, now)
      await denyApproved(tx, account.id)
    }
    return {
      sessionsEnded,
      tokensRevoked: options.revokeTokens ? tokens.length : 0,
      kept: options.revokeTokens ? [] : tokens.map(({ id, label }) => label || id),
    }
  })
}

const wrongPassword = (): Fault => new Fault('forbidden', 'The current password is wrong.')
