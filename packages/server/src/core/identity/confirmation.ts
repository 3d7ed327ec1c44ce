// Asks for the password or a passkey once more before a way to sign in is added or removed. A stolen token alone must not be
// enough.
import type { PasskeyAssertion, PasskeyRequest } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { findAccountById, lockAccount } from '../../store/identity/accounts.ts'
import { findPasskey, notePasskeyUse } from '../../store/identity/passkeys.ts'
import type { Changed, Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import { verifyPassword } from './passwords.ts'
import { type PasskeyParts, requestOptions, usablePasskeys, verifyAssertion } from './webauthn.ts'

/** One of the two. */
export interface Confirmation {
  password?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

const confirmPurpose = (accountId: string) => ({ purpose: 'confirm', account_id: accountId }) as const

export async function startConfirmation(platform: PasskeyParts, caller: Caller): Promise<PasskeyRequest> {
  const { id } = caller.account
  const usable = await usablePasskeys(platform, platform.store.db, id)
  if (usable.length === 0) throw new Fault('not_found', 'Your account has no passkey for this dashboard.')
  return await requestOptions(platform, confirmPurpose(id), usable)
}

/** Runs `change` in a transaction that holds the account, if the confirmation is right. */
export async function whenConfirmed<T>(
  platform: PasskeyParts,
  caller: Caller,
  { password, passkey }: Confirmation,
  change: (tx: Tx, account: AccountRow, changed: Changed) => Promise<T>,
): Promise<T> {
  const account = await findAccountById(platform.store.db, caller.account.id)
  if (!account) throw wrongPassword()
  const isStillRight =
    passkey === undefined
      ? await checkPassword(account, password)
      : await checkPasskey(platform, account, passkey)
  return await platform.store.transact(async (tx, changed) => {
    await lockAccount(tx, account.id)
    const current = await findAccountById(tx, account.id)
    if (!current || !(await isStillRight(tx, current))) throw wrongPassword()
    return await change(tx, current, changed)
  })
}

/** Whether what was checked holds in the transaction, too. */
type StillRight = (tx: Tx, current: AccountRow) => Promise<boolean>

async function checkPassword(account: AccountRow, password: string | undefined): Promise<StillRight> {
  if (password === undefined) throw new Fault('invalid_request', 'password or passkey: one is required')
  if (account.password_hash === null) throw noPassword()
  if (!(await verifyPassword(password, account.password_hash, account.id))) throw wrongPassword()
  return async (_, { password_hash }) => password_hash === account.password_hash
}

async function checkPasskey(
  platform: PasskeyParts,
  account: AccountRow,
  credential: PasskeyAssertion,
): Promise<StillRight> {
  const passkey = await findPasskey(platform.store.db, credential.id)
  if (passkey?.account_id !== account.id) throw wrongPasskey()
  const counter = await verifyAssertion(platform, confirmPurpose(account.id), passkey, credential)
  if (counter === undefined) throw wrongPasskey()
  return tx => notePasskeyUse(tx, passkey, { counter, at: platform.clock.now() })
}

const wrongPassword = (): Fault => new Fault('forbidden', 'The password is wrong.')
const wrongPasskey = (): Fault =>
  new Fault('forbidden', 'The passkey could not be checked, or took too long. Try again.')
const noPassword = (): Fault =>
  new Fault(
    'forbidden',
    'Your account has no password, which this needs. Ask the operator to set one: svcd users passwd <login>',
  )
