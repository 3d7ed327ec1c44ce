// The second factor of an account: an authenticator app, and recovery codes for the day when the app is lost.
import { randomBytes } from 'node:crypto'
import type { SignInSecurity } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { randomText, sha256 } from '../../lib/ids.ts'
import { findAccountById, findAccountByLogin, lockAccount } from '../../store/identity/accounts.ts'
import { endUnfinished } from '../../store/identity/challenges.ts'
import { findEmailChange } from '../../store/identity/email-changes.ts'
import { githubUserOf } from '../../store/identity/github-users.ts'
import { deletePasskeysOf } from '../../store/identity/passkeys.ts'
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
  useRecoveryCode,
} from '../../store/identity/recovery-codes.ts'
import { deleteTotp, enableTotp, findTotp, saveNewTotp, useTotpStep } from '../../store/identity/totp.ts'
import type { Tx } from '../../store/store.ts'
import type { TotpSecretRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows, Vault } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { type Confirmation, whenConfirmed } from './confirmation.ts'
import { passkeysOf } from './passkeys.ts'
import { noteSecurityEvent } from './security-events.ts'
import { endSessions } from './sessions.ts'
import { matchingStep, placeOfTotp, toBase32, totpUri } from './totp.ts'
import type { PasskeyParts } from './webauthn.ts'

const setUpMs = 15 * minuteMs
const recoveryCodeCount = 10
/** Without characters that look like others. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export async function describeSecurity(platform: PasskeyParts, caller: Caller): Promise<SignInSecurity> {
  const { store } = platform
  const { id } = caller.account
  const account = await findAccountById(store.db, id)
  const totp = await findTotp(store.db, id)
  const enabledAt = totp?.enabled_at ?? null
  const github = await githubUserOf(store.db, id)
  return {
    password: account?.password_hash != null,
    github: github !== undefined,
    github_login: github?.login ?? null,
    totp: enabledAt === null ? null : { enabled_at: isoTime(enabledAt) },
    recovery_codes_left: await countRecoveryCodes(store.db, id),
    passkeys: await passkeysOf(platform, id),
    pending_email: (await findEmailChange(store.db, id, platform.clock.now()))?.email ?? null,
  }
}

/** Makes a secret, which does nothing until a code shows that the app has it. */
export async function startTotp(
  platform: PasskeyParts & Vault & Pick<Platform, 'domain'>,
  caller: Caller,
  input: Confirmation,
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(20)
  return await whenConfirmed(platform, caller, input, async (tx, { id, login }) => {
    const row = {
      ...platform.keyring.current.seal(secret.toString('base64'), placeOfTotp(id)),
      ...{ account_id: id, created_at: platform.clock.now(), enabled_at: null, last_step: 0 },
    }
    if (!(await saveNewTotp(tx, row))) throw isOn()
    return { secret: toBase32(secret), uri: totpUri(secret, { issuer: `svc (${platform.domain})`, login }) }
  })
}

/** Ends the other sessions: one of them may be of somebody who learned the password. */
export async function finishTotp(
  platform: Rows & Vault,
  caller: Caller,
  input: { code: string },
): Promise<{ recovery_codes: string[] }> {
  const { id, login } = caller.account
  const now = platform.clock.now()
  return await platform.store.transact(async tx => {
    await lockAccount(tx, id)
    const row = await findTotp(tx, id)
    if (row && row.enabled_at !== null) throw isOn()
    if (!row || row.created_at + setUpMs < now)
      throw new Fault('forbidden', 'The set-up was not begun, or has expired. Begin again.')
    const step = matchingStep(secretOf(platform, row), plainCode(input.code), now)
    if (step === undefined)
      throw new Fault('forbidden', 'The code is wrong. Check that the clock of your device is right.')
    await enableTotp(tx, id, now, step)
    await endSessions(tx, id, { now, except: caller.tokenId })
    const event = { action: 'account.totp-on', account: { id, login }, by: caller } as const
    await noteSecurityEvent(platform, tx, event)
    return { recovery_codes: await newRecoveryCodes(tx, id) }
  })
}

const isOn = (): Fault =>
  new Fault('invalid_request', 'The authenticator app is on already. Turn it off first.')
const isOff = (): Fault => new Fault('not_found', 'The authenticator app is off.')

export async function disableTotp(
  platform: PasskeyParts,
  caller: Caller,
  input: Confirmation,
): Promise<void> {
  await whenConfirmed(platform, caller, input, async (tx, account) => {
    if (!(await removeTotp(tx, account.id))) throw isOff()
    await noteSecurityEvent(platform, tx, { action: 'account.totp-off', account, by: caller })
  })
}

async function removeTotp(tx: Tx, accountId: string): Promise<boolean> {
  await replaceRecoveryCodes(tx, accountId, [])
  await endUnfinished(tx, accountId)
  return await deleteTotp(tx, accountId)
}

export async function renewRecoveryCodes(
  platform: PasskeyParts,
  caller: Caller,
  input: Confirmation,
): Promise<{ recovery_codes: string[] }> {
  return await whenConfirmed(platform, caller, input, async (tx, account) => {
    const totp = await findTotp(tx, account.id)
    if (!totp || totp.enabled_at === null) throw isOff()
    await noteSecurityEvent(platform, tx, { action: 'account.recovery-codes', account, by: caller })
    return { recovery_codes: await newRecoveryCodes(tx, account.id) }
  })
}

/** 79 random bits each, so that a plain hash is enough. */
async function newRecoveryCodes(tx: Tx, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => randomText(16, recoveryAlphabet))
  await replaceRecoveryCodes(tx, accountId, codes.map(sha256))
  return codes.map(code => (code.match(/.{4}/g) ?? []).join('-'))
}

/** A code as it is compared: people type spaces, dashes and capital letters. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()
export const isTotpCode = (code: string): boolean => /^[0-9]{6}$/.test(code)

type Used = { factor: 'totp' } | { factor: 'recovery code'; left: number }

/** Uses up a code of the app or a recovery code. `undefined` if it is wrong. */
export async function useCode(
  platform: Rows & Vault,
  tx: Tx,
  accountId: string,
  code: string,
): Promise<Used | undefined> {
  if (!isTotpCode(code))
    return (await useRecoveryCode(tx, accountId, sha256(code)))
      ? { factor: 'recovery code', left: await countRecoveryCodes(tx, accountId) }
      : undefined
  const row = await findTotp(tx, accountId)
  if (!row || row.enabled_at === null) return undefined
  const step = matchingStep(secretOf(platform, row), code, platform.clock.now())
  return step !== undefined && (await useTotpStep(tx, accountId, step)) ? { factor: 'totp' } : undefined
}

const secretOf = ({ keyring }: Pick<Platform, 'keyring'>, row: TotpSecretRow): Buffer =>
  Buffer.from(keyring.open(row, placeOfTotp(row.account_id)), 'base64')

interface Reset {
  /** Whether there was an authenticator app. */
  totp: boolean
  passkeys: number
  sessionsEnded: number
}

/** For the operator, if a person has lost the phone and the recovery codes. Ends the sessions. */
export async function resetSecondFactor(platform: Rows, login: string): Promise<Reset> {
  return await platform.store.transact(async tx => {
    const account = await findAccountByLogin(tx, login.toLowerCase())
    if (!account) throw new Fault('not_found', `There is no account '${login}'.`)
    await lockAccount(tx, account.id)
    const totp = await removeTotp(tx, account.id)
    const passkeys = await deletePasskeysOf(tx, account.id)
    if (!totp && passkeys === 0) return { totp, passkeys, sessionsEnded: 0 }
    await noteSecurityEvent(platform, tx, { action: 'account.reset', account, by: { ip: '' } })
    const sessionsEnded = await endSessions(tx, account.id, { now: platform.clock.now() })
    return { totp, passkeys, sessionsEnded }
  })
}
