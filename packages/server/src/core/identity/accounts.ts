// Accounts of the built-in forge: sign-up, and what the operator does from the command line.
import { timingSafeEqual } from 'node:crypto'
import { isEmail } from '@svc/contract'
import { networkOf } from '../../lib/client-address.ts'
import { Fault } from '../../lib/fault.ts'
import { newId, sha256 } from '../../lib/ids.ts'
import { anyAccount, insertAccount, nextForgeId } from '../../store/identity/accounts.ts'
import { findOrg } from '../../store/orgs/orgs.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Platform, Rows, SignUpRules, Vault } from '../base/platform.ts'
import { joinByInvite } from '../orgs/invites.ts'
import { isAccountInvite, useAccountInvite } from './account-invites.ts'
import { hashPassword, validPassword } from './passwords.ts'
import { type SignedIn, startSession } from './sessions.ts'

interface NewAccount {
  login: string
  password: string | undefined
  email?: string | null | undefined
  admin?: boolean
}

const loginPattern = /^[a-z0-9](?:[a-z0-9_-]{0,37}[a-z0-9])?$/
/** The name of svcd's command line in the queue of password hashing. */
const operator = 'operator'

interface SignUp extends NewAccount {
  password: string
  setup_token?: string | undefined
  invite_token?: string | undefined
  ip: string
}

/** The first account is created with the set-up link. Others depend on the setting for sign-ups. */
export async function signUp(
  platform: Rows & Vault & SignUpRules & Pick<Platform, 'hasBuiltinForge'>,
  input: SignUp,
): Promise<SignedIn> {
  const login = validLogin(input.login)
  const isFirst = !(await anyAccount(platform.store.db))
  if (!isFirst && !platform.hasBuiltinForge)
    throw new Fault('forbidden', 'Accounts of this platform are GitHub users. Sign in with GitHub: svc login')
  const isInvited = await isAccountInvite(platform, input.invite_token)
  if (
    !(isFirst
      ? isSetupToken(platform, input.setup_token)
      : isInvited || maySignUp(platform, input.invite_token))
  )
    throw signUpRefused(isFirst)
  const passwordHash = await hashPassword(input.password, networkOf(input.ip))
  return await platform.store.transact(async tx => {
    const account = await addAccount(platform, tx, { ...input, login, passwordHash, admin: false })
    // Someone else may have used the set-up link while the password was hashed.
    if (isFirst && account.forge_id !== 1) throw signUpRefused(false)
    if (isInvited) {
      if (!(await useAccountInvite(platform, tx, input.invite_token))) throw signUpRefused(false)
    } else if (input.invite_token !== undefined) {
      const who = {
        account: { id: account.id, login, forgeId: account.forge_id, isAdmin: false },
        ip: input.ip,
      }
      await joinByInvite(platform, tx, who, input.invite_token)
    }
    return await startSession(platform, tx, account)
  })
}

/** An invite is checked in the transaction, where it is used up. */
export const maySignUp = (platform: Pick<Platform, 'signups'>, inviteToken: string | undefined): boolean =>
  platform.signups === 'open' || (platform.signups === 'invite' && inviteToken !== undefined)

/** For the operator. Needs no set-up link. */
export async function createAccount(platform: Rows, input: NewAccount) {
  const login = validLogin(input.login)
  if (typeof input.email === 'string' && !isEmail(input.email))
    throw new Fault('invalid_request', `'${input.email}' is not an email address.`)
  const passwordHash =
    input.password === undefined ? null : await hashPassword(validPassword(input.password), operator)
  return await platform.store.transact(tx => addAccount(platform, tx, { ...input, login, passwordHash }))
}

/** Whether the set-up link works, which it does until the first account exists. */
export const setupNeeded = async (platform: Pick<Platform, 'store'>): Promise<boolean> =>
  !(await anyAccount(platform.store.db))

/** Rejects with `name_taken` if the login, or an org of that name, is in use. */
export async function addAccount(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  input: NewAccount & { passwordHash: string | null },
): Promise<AccountRow> {
  const forgeId = await nextForgeId(tx)
  const account = {
    id: newId('acc'),
    forge_id: forgeId,
    login: input.login,
    email: input.email || null,
    password_hash: input.passwordHash,
    is_admin: forgeId === 1 || input.admin ? 1 : 0,
    created_at: platform.clock.now(),
    disabled_at: null,
    delete_at: null,
    delete_by: null,
  }
  if ((await findOrg(tx, input.login)) || !(await insertAccount(tx, account)))
    throw new Fault('name_taken', `The login '${input.login}' is taken.`)
  return account
}

function validLogin(login: string): string {
  const lower = login.toLowerCase()
  if (!loginPattern.test(lower))
    throw new Fault(
      'invalid_request',
      'login must be 1 to 39 letters, digits, - or _, and begin and end with a letter or digit',
    )
  return lower
}

export function isSetupToken(platform: Pick<Platform, 'setupToken'>, token: string | undefined): boolean {
  const [given, right] = [sha256(token ?? ''), sha256(platform.setupToken.reveal())]
  return timingSafeEqual(Buffer.from(given), Buffer.from(right))
}

export const signUpRefused = (isFirst: boolean): Fault =>
  new Fault(
    'forbidden',
    isFirst
      ? 'The first account needs the set-up link that svcd prints when it starts.'
      : 'Sign-ups are not open on this instance. Ask its operator for an account.',
  )
