// What the operator changes about an account: whether it may sign in, and whether it is a platform admin.
import type { AdminUser } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { countEnabledAdmins, lockAdmins, updateAccount } from '../../store/admin/users.ts'
import { deleteAccountInvitesBy } from '../../store/identity/account-invites.ts'
import { findAccountByLogin, lockAccount } from '../../store/identity/accounts.ts'
import { revokeAllInvitesBy } from '../../store/orgs/invites.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow } from '../../store/tables.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { noteSecurityEvent, type SecurityAction } from '../identity/security-events.ts'
import { endSessions } from '../identity/sessions.ts'
import { describeUsers } from './users.ts'

interface UserChange {
  disabled?: boolean | undefined
  admin?: boolean | undefined
}

/** A change through the API. An admin must confirm a change that takes something from their own account. */
export async function changeUserAs(
  platform: Rows,
  caller: Caller,
  login: string,
  { confirm, ...change }: UserChange & { confirm?: string | undefined },
): Promise<AdminUser> {
  if (change.disabled === undefined && change.admin === undefined)
    throw new Fault('invalid_request', 'Nothing to change: send disabled or admin.')
  const isOwn = login.toLowerCase() === caller.account.login
  const takesAway = change.disabled === true || change.admin === false
  if (isOwn && takesAway && confirm?.toLowerCase() !== caller.account.login)
    throw new Fault(
      'invalid_request',
      `confirm: this is your own account. To change it, send your login: "confirm": "${caller.account.login}"`,
    )
  const { account } = await changeUser(platform, login, change, caller)
  const [described] = await describeUsers(platform, [account])
  return described!
}

/** The rules of every change, also of one by `svcd users`. What is so already is not changed and not logged. */
export async function changeUser(
  platform: Rows,
  login: string,
  change: UserChange,
  by: Caller | { ip: string },
): Promise<{ account: AccountRow; sessionsEnded: number }> {
  const now = platform.clock.now()
  return await platform.store.transact(async tx => {
    await lockAdmins(tx)
    const before = await findAccountByLogin(tx, login.toLowerCase())
    if (!before) throw new Fault('not_found', `There is no account '${login.slice(0, 60)}'.`)
    await lockAccount(tx, before.id)
    const account = { ...before, ...changedColumns(before, change, now) }
    const { is_admin, disabled_at } = account
    await updateAccount(tx, account.id, { is_admin, disabled_at })
    if (isWorkingAdmin(before) && !isWorkingAdmin(account)) await keepOneAdmin(tx)
    for (const action of actionsOf(before, account))
      await noteSecurityEvent(platform, tx, { action, account, by })
    // Whoever has such a link could come back with a new account.
    if (!isWorkingAdmin(account)) await deleteAccountInvitesBy(tx, account.id)
    if (disabled_at !== null) await revokeAllInvitesBy(tx, account.id)
    const ends = disabled_at !== null && before.disabled_at === null
    return { account, sessionsEnded: ends ? await endSessions(tx, account.id, { now }) : 0 }
  })
}

const changedColumns = (before: AccountRow, { disabled, admin }: UserChange, now: number) => ({
  ...(disabled !== undefined && { disabled_at: disabled ? (before.disabled_at ?? now) : null }),
  ...(admin !== undefined && { is_admin: admin ? 1 : 0 }),
})

const isWorkingAdmin = ({ is_admin, disabled_at }: AccountRow): boolean =>
  is_admin === 1 && disabled_at === null

function actionsOf(before: AccountRow, after: AccountRow): SecurityAction[] {
  const [was, is] = [before, after].map(({ disabled_at }) => disabled_at !== null)
  const actions: SecurityAction[] = []
  if (was !== is) actions.push(is ? 'account.disable' : 'account.enable')
  if (before.is_admin !== after.is_admin)
    actions.push(after.is_admin === 1 ? 'account.admin-on' : 'account.admin-off')
  return actions
}

/** Called after the change. An error takes the change back. */
async function keepOneAdmin(tx: Tx): Promise<void> {
  if ((await countEnabledAdmins(tx)) === 0)
    throw new Fault(
      'last_admin',
      'This is the only platform admin that can sign in. Make another account an admin first.',
    )
}
