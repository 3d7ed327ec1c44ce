// Sign-in with the password, and with a code if the account has an authenticator app.
import { rateLimits } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { networkOf } from '../../lib/client-address.ts'
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import { findAccountById, findAccountByLogin, lockAccount } from '../../store/identity/accounts.ts'
import { findChallenge, insertChallenge, useChallenge } from '../../store/identity/challenges.ts'
import { findTotp } from '../../store/identity/totp.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Rows, Vault } from '../base/platform.ts'
import { refund, spend } from '../base/rate-limit.ts'
import { requireEnabled } from './disabled.ts'
import { verifyPassword } from './passwords.ts'
import { isTotpCode, plainCode, useCode } from './second-factor.ts'
import { noteSecurityEvent } from './security-events.ts'
import { type SignedIn, startSession } from './sessions.ts'
import { type PasskeyParts, usablePasskeys } from './webauthn.ts'

const challengeMs = 5 * minuteMs

/** The password was right, and a code is needed. */
export interface CodeNeeded {
  challenge: string
  expires_in: number
  passkey: boolean
}

export async function signIn(
  platform: PasskeyParts & Vault,
  { login, password, ip }: { login: string; password: string; ip: string },
): Promise<SignedIn | CodeNeeded> {
  const account = await findAccountByLogin(platform.store.db, login.toLowerCase())
  const right = await verifyPassword(password, account?.password_hash, networkOf(ip))
  if (!account || !right) throw wrongSignIn()
  return await platform.store.transact(async tx => {
    await lockAccount(tx, account.id)
    // The password may have been changed during the check. Then the old one must not start a session.
    const current = await findAccountByLogin(tx, account.login)
    if (!current || current.password_hash !== account.password_hash) throw wrongSignIn()
    requireEnabled(current)
    const totp = await findTotp(tx, account.id)
    if (totp && totp.enabled_at !== null) return await askForCode(platform, tx, account.id)
    return await startSession(platform, tx, current)
  })
}

const wrongSignIn = (): Fault => new Fault('unauthorized', 'The login or the password is wrong.')

async function askForCode(platform: PasskeyParts, tx: Tx, accountId: string): Promise<CodeNeeded> {
  const challenge = newSecret()
  const row = {
    hash: sha256(challenge),
    account_id: accountId,
    expires_at: platform.clock.now() + challengeMs,
  }
  await insertChallenge(tx, row)
  const passkeys = await usablePasskeys(platform, tx, accountId)
  return { challenge, expires_in: challengeMs / 1000, passkey: passkeys.length > 0 }
}

/** The second step. A wrong code leaves the challenge as it is, so that the person can try again. */
export async function signInWithCode(
  platform: Rows & Vault,
  input: { challenge: string; code: string; ip: string },
): Promise<SignedIn> {
  const hash = sha256(input.challenge)
  const code = plainCode(input.code)
  const challenge = await findChallenge(platform.store.db, hash, platform.clock.now())
  const account = await findAccountById(platform.store.db, challenge?.account_id ?? '')
  if (!account) throw signInExpired()
  const attempt = isTotpCode(code) ? await countAttempt(platform, account.id) : undefined
  try {
    const signedIn = await platform.store.transact(async tx => {
      await lockAccount(tx, account.id)
      // The account may have been disabled, or its password changed, since it was read.
      const current = await findAccountById(tx, account.id)
      if (!current || !(await useChallenge(tx, hash))) throw signInExpired()
      const used = await useCode(platform, tx, account.id, code)
      if (used === undefined) throw new Fault('unauthorized', wrongCode)
      if (used.factor === 'recovery code')
        await noteSecurityEvent(platform, tx, {
          action: 'account.recovery-code',
          account,
          by: actorOf(account, input.ip),
          details: { left: used.left },
        })
      return await startSession(platform, tx, current)
    })
    if (attempt) await refund(platform, attempt.counter)
    return signedIn
  } catch (error) {
    if (attempt?.isLast) await noteBlocked(platform, account, input.ip)
    throw error
  }
}

const signInExpired = (): Fault =>
  new Fault('unauthorized', 'The sign-in has expired. Enter your login and your password again.')
const wrongCode = 'The code is wrong, or was used already. Enter the code that your app shows now.'

const actorOf = (account: AccountRow, ip: string) => ({
  account: {
    id: account.id,
    login: account.login,
    forgeId: account.forge_id,
    isAdmin: account.is_admin === 1,
  },
  ip,
})

/** Counts a guess at the code of the app. Recovery codes are too long to be guessed, so they work beyond the limit. */
async function countAttempt(
  platform: Rows,
  accountId: string,
): Promise<{ counter: string; isLast: boolean }> {
  const counter = `totpCodes account ${accountId}`
  const { remaining, retryAfter } = await spend(platform, counter, rateLimits.totpCodes)
  if (retryAfter === undefined) return { counter, isLast: remaining === 0 }
  const hours = Math.ceil(retryAfter / 3600)
  throw new Fault(
    'rate_limit_exceeded',
    `Too many wrong codes. Sign in with a recovery code, or try again in ${hours} hour${hours > 1 ? 's' : ''}.`,
    { retryAfter },
  )
}

/** Tells the owner, because the one who guesses knows the password. */
async function noteBlocked(platform: Rows, account: AccountRow, ip: string): Promise<void> {
  await platform.store.transact(tx =>
    noteSecurityEvent(platform, tx, { action: 'account.codes-blocked', account, by: { ip } }),
  )
}
