// The operator deletes an account through the API, or keeps one that waits for its deletion.
import type { AdminUser } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { type DeletionParts, deleteAccountAs, keepAccountAs } from '../platform/account-deletion/schedule.ts'
import { describeUsers } from './users.ts'

export async function deleteUserAs(
  platform: DeletionParts,
  caller: Caller,
  login: string,
  { confirm, now }: { confirm: string; now?: boolean | undefined },
): Promise<AdminUser> {
  if (confirm.toLowerCase() !== login.toLowerCase())
    throw new Fault('invalid_request', `confirm: send the login of the account: "confirm": "${login}"`)
  return await described(platform, await deleteAccountAs(platform, caller, login, { now }))
}

export const keepUserAs = async (platform: Rows, caller: Caller, login: string): Promise<AdminUser> =>
  described(platform, await keepAccountAs(platform, caller, login))

async function described(platform: Rows, account: AccountRow): Promise<AdminUser> {
  const [user] = await describeUsers(platform, [account])
  return user!
}
