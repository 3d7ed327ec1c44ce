// Sign-in with GitHub's device flow. The client shows GitHub's code, and the platform polls GitHub.
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import type { Sealed } from '../../lib/seal.ts'
import type { GitHubUser, UserToken } from '../../ports/github/port.ts'
import { isDuplicate } from '../../store/faults.ts'
import { anyAccount, findAccountById, lockAccount } from '../../store/identity/accounts.ts'
import {
  endLogin,
  insertDeviceLogin,
  loginExists,
  setInterval as setPollInterval,
} from '../../store/identity/device-logins.ts'
import { findGitHubUser } from '../../store/identity/github-users.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow, DeviceLoginRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import { atGitHub, requireGitHub } from '../base/github-faults.ts'
import type { GitHubParts, Platform, SignUpRules } from '../base/platform.ts'
import { joinByInvite } from '../orgs/invites.ts'
import { useAccountInvite } from './account-invites.ts'
import { addAccount, isSetupToken, maySignUp, signUpRefused } from './accounts.ts'
import { type Confirmation, whenConfirmed } from './confirmation.ts'
import { requireEnabled } from './disabled.ts'
import { keepUser } from './github-user-tokens.ts'
import { noteSecurityEvent } from './security-events.ts'
import { makeToken, webConsoleLabel } from './tokens.ts'
import type { PasskeyParts } from './webauthn.ts'

/** What the login is for. */
interface Purpose {
  /** For the first account of the platform. */
  setupToken?: string | undefined
  /** For a new account of somebody who was invited. */
  inviteToken?: string | undefined
  /** The account to link, if someone is already signed in. */
  linkTo?: string | undefined
  /** A login in the dashboard begins a session, which a sign-out and a new password end. */
  client?: 'cli' | 'dashboard' | undefined
}

interface Pending extends Purpose {
  deviceCode: string
}

const placeOf = (codeHash: string): string[] => ['device login', codeHash]

export async function startGitHubLogin(
  platform: GitHubParts,
  from: { ip: string; userAgent: string },
  purpose: Purpose,
) {
  const github = requireGitHub(platform)
  const device = await atGitHub(() => github.startDeviceLogin())
  const deviceCode = newSecret()
  const codeHash = sha256(deviceCode)
  const now = platform.clock.now()
  const pending: Pending = { ...purpose, deviceCode: device.deviceCode }
  const expiresIn = Math.min(Math.max(device.expiresIn || 0, 60), limits.deviceExpiresSeconds)
  const interval = Math.max(device.interval || 0, 0)
  const isNew = await insertDeviceLogin(platform.store.db, {
    code_hash: codeHash,
    user_code: device.userCode,
    status: 'waiting',
    account_id: purpose.linkTo ?? null,
    ip: from.ip,
    user_agent: from.userAgent.slice(0, 300),
    created_at: now,
    expires_at: now + expiresIn * 1000,
    polled_at: null,
    github: JSON.stringify(platform.keyring.current.seal(JSON.stringify(pending), placeOf(codeHash))),
    interval_ms: interval * 1000,
  })
  if (!isNew) throw new Fault('unavailable', 'GitHub gave a code that is in use. Start the login again.')
  return {
    device_code: deviceCode,
    user_code: device.userCode,
    verification_uri: device.verificationUri,
    expires_in: expiresIn,
    interval,
  }
}

/** The GitHub user can sign in to the account afterwards, so a stolen token alone must not be enough. */
export async function startGitHubLink(
  platform: GitHubParts & PasskeyParts,
  caller: Caller,
  confirmation: Confirmation,
  from: { ip: string; userAgent: string },
) {
  requireGitHub(platform)
  const { id, password_hash } = await whenConfirmed(
    platform,
    caller,
    confirmation,
    async (_, account) => account,
  )
  const started = await startGitHubLogin(platform, from, { linkTo: id })
  const current = await findAccountById(platform.store.db, id)
  if (current?.password_hash !== password_hash)
    throw new Fault('forbidden', 'The password was changed in the meantime. Start again.')
  return started
}

type Outcome = { token: string } | 'waiting' | 'too fast' | 'denied' | 'expired'

/** Polls GitHub once. The caller limits how often. */
export async function pollGitHubLogin(
  platform: GitHubParts & SignUpRules,
  login: DeviceLoginRow,
): Promise<Outcome> {
  const github = requireGitHub(platform)
  const { db } = platform.store
  const sealed = JSON.parse(login.github ?? '') as Sealed
  const pending = JSON.parse(platform.keyring.open(sealed, placeOf(login.code_hash))) as Pending
  const poll = await atGitHub(() => github.pollDeviceLogin(pending.deviceCode))
  if (poll.state === 'too fast') await setPollInterval(db, login.code_hash, poll.interval * 1000)
  if (poll.state === 'denied' || poll.state === 'expired') await endLogin(db, login.code_hash, 'denied')
  if (poll.state !== 'approved') return poll.state
  // GitHub returns its token only once, so the login ends here even if a later step fails.
  await endLogin(db, login.code_hash, 'used')
  const user = await atGitHub(() => github.userBehind(poll.token.token))
  const finish = () => finishLogin(platform, login, pending, user, poll.token)
  return await finish().catch(async error => {
    // Another login of the same GitHub user was finished at the same time. It is found at the second attempt.
    if (!isDuplicate(error)) throw error
    return await finish()
  })
}

async function finishLogin(
  platform: GitHubParts & SignUpRules,
  login: DeviceLoginRow,
  pending: Pending,
  user: GitHubUser,
  userToken: UserToken,
): Promise<Outcome> {
  return await platform.store.transact(async tx => {
    if (pending.linkTo !== undefined) {
      await lockAccount(tx, pending.linkTo)
      // A change of the password deletes the links that were begun before.
      if (!(await loginExists(tx, login.code_hash))) return 'expired'
    }
    const account = await accountOf(platform, tx, user, pending, login.ip)
    requireEnabled(account)
    await keepUser(platform, tx, account.id, user, userToken)
    // The person who links an account has a token for it already.
    if (pending.linkTo !== undefined) {
      const details = { user: user.login }
      const by = { ip: login.ip }
      await noteSecurityEvent(platform, tx, { action: 'account.github-link', account, by, details })
      return { token: '' }
    }
    const label = pending.client === 'dashboard' ? webConsoleLabel : 'svc login'
    const { token } = await makeToken(tx, platform.clock.now(), { kind: 'cli', label, accountId: account.id })
    return { token }
  })
}

/** Finds the account by GitHub's user id, because a login name may pass to another user. */
async function accountOf(
  platform: SignUpRules & Pick<Platform, 'clock'>,
  tx: Tx,
  user: GitHubUser,
  { linkTo, inviteToken, setupToken }: Purpose,
  ip: string,
): Promise<AccountRow> {
  const known = await findGitHubUser(tx, user.id)
  if (linkTo !== undefined && known && known.account_id !== linkTo)
    throw new Fault(
      'name_taken',
      `The GitHub user ${user.login} has another account here already. Log in with it: svc login`,
    )
  const account = await findAccountById(tx, linkTo ?? known?.account_id ?? '')
  if (account) return account
  if (linkTo !== undefined) throw new Fault('not_found', 'The account is gone.')
  return await newAccount(platform, tx, user, { inviteToken, setupToken, ip })
}

async function newAccount(
  platform: SignUpRules & Pick<Platform, 'clock'>,
  tx: Tx,
  user: GitHubUser,
  { inviteToken, setupToken, ip }: Purpose & { ip: string },
): Promise<AccountRow> {
  const isFirst = !(await anyAccount(tx))
  const isInvited = await useAccountInvite(platform, tx, inviteToken)
  const may = isFirst ? isSetupToken(platform, setupToken) : isInvited || maySignUp(platform, inviteToken)
  if (!may) throw signUpRefused(isFirst)
  const account = await addWithFreeLogin(platform, tx, user)
  if (isFirst && account.forge_id !== 1) throw signUpRefused(false)
  if (inviteToken !== undefined && !isInvited) {
    const { id, login, forge_id: forgeId } = account
    await joinByInvite(platform, tx, { account: { id, login, forgeId, isAdmin: false }, ip }, inviteToken)
  }
  return account
}

/** Uses the login name from GitHub, or a similar one if it is taken here. */
async function addWithFreeLogin(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  user: GitHubUser,
): Promise<AccountRow> {
  const wanted = user.login
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .slice(0, 39)
  const candidates = [wanted, `${wanted.slice(0, 32)}-github`, `github-${user.id}`]
  for (const login of candidates)
    try {
      return await addAccount(platform, tx, {
        login,
        password: undefined,
        email: user.email,
        passwordHash: null,
      })
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'name_taken') throw error
    }
  throw new Fault('name_taken', `The login '${wanted}' is taken.`)
}
