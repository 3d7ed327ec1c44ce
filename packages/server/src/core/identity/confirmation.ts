// Asks for the password once more before a way to sign in is added or removed. A stolen token alone must not be enough.
import { Fault } from '../../lib/fault.ts'
import { findAccountById, lockAccount } from '../../store/identity/accounts.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Platform } from '../platform/platform.ts'
import type { Caller } from './callers.ts'
import { verifyPassword } from './passwords.ts'

export interface Confirmation {
  password: string
}

/** Runs `change` in a transaction that holds the account, if the confirmation is right. */
export async function whenConfirmed<T>(
  platform: Pick<Platform, 'store'>,
  caller: Caller,
  { password }: Confirmation,
  change: (tx: Tx, account: AccountRow) => Promise<T>,
): Promise<T> {
  const account = await findAccountById(platform.store.db, caller.account.id)
  if (account?.password_hash === null) throw noPassword()
  if (!account || !(await verifyPassword(password, account.password_hash, account.id))) throw wrongPassword()
  return await platform.store.transact(async tx => {
    await lockAccount(tx, account.id)
    const current = await findAccountById(tx, account.id)
    if (current?.password_hash !== account.password_hash) throw wrongPassword()
    return await change(tx, current)
  })
}

const wrongPassword = (): Fault => new Fault('forbidden', 'The password is wrong.')
const noPassword = (): Fault =>
  new Fault(
    'forbidden',
    'Your account has no password, which this needs. Ask the operator to set one: svcd users passwd <login>',
  )
