// Deletes an account with everything it owns, after a grace time. Until then its sites are offline, and its owner or the
// operator can keep it.
import { Fault } from '../../../lib/fault.ts'
import { countEnabledAdmins, lockAdmins, updateAccount } from '../../../store/admin/users.ts'
import { type OwnedOrg, orgsOf, revokeOwnTokens } from '../../../store/identity/account-deletion.ts'
import { deleteAccountInvitesBy } from '../../../store/identity/account-invites.ts'
import { findAccountById, findAccountByLogin, lockAccount } from '../../../store/identity/accounts.ts'
import { denyApproved } from '../../../store/identity/device-logins.ts'
import { revokeAllInvitesBy } from '../../../store/orgs/invites.ts'
import { hasOtherOwner, lockOrg } from '../../../store/orgs/orgs.ts'
import {
  endDeletionSuspensions,
  projectsOwnedBy,
  suspendForDeletion,
} from '../../../store/projects/suspensions.ts'
import type { Changed, Tx } from '../../../store/store.ts'
import type { AccountRow } from '../../../store/tables.ts'
import type { Actor } from '../../base/audit.ts'
import type { Caller } from '../../base/caller.ts'
import type { Platform, Rows } from '../../base/platform.ts'
import { siteChanged } from '../../base/site-changes.ts'
import { deletionNotice } from '../../base/suspension.ts'
import { takeOffline } from '../../base/take-offline.ts'
import { isoTime } from '../../base/times.ts'
import { type Confirmation, whenConfirmed } from '../../identity/confirmation.ts'
import { noteSecurityEvent } from '../../identity/security-events.ts'
import { endSessions } from '../../identity/sessions.ts'
import type { PasskeyParts } from '../../identity/webauthn.ts'
import { endPlans } from './plans.ts'

export type DeletionParts = Rows & Pick<Platform, 'accountGraceMs' | 'billing'>
type By = Actor | { ip: string }

/** For the owner of the account. */
export async function deleteOwnAccount(
  platform: DeletionParts & PasskeyParts,
  caller: Caller,
  confirmation: Confirmation,
): Promise<{ delete_at: string }> {
  return await whenConfirmed(platform, caller, confirmation, async (tx, account, changed) => {
    const deleteAt = platform.clock.now() + platform.accountGraceMs
    await schedule(platform, tx, changed, { account, by: caller, deleteAt, who: 'owner' })
    return { delete_at: isoTime(deleteAt) }
  })
}

/** For the operator. With `now` nobody can keep the account, and the next sweep deletes it. */
export async function deleteAccountAs(
  platform: DeletionParts,
  by: By,
  login: string,
  { now: atOnce = false }: { now?: boolean | undefined },
): Promise<AccountRow> {
  const now = platform.clock.now()
  return await platform.store.transact(async (tx, changed) => {
    const account = await lockByLogin(tx, login)
    const deleteAt = atOnce ? now : (account.delete_at ?? now + platform.accountGraceMs)
    const who = 'operator'
    if (account.delete_at === null) await schedule(platform, tx, changed, { account, by, deleteAt, who })
    await updateAccount(tx, account.id, { delete_at: deleteAt, delete_by: who })
    if (atOnce) {
      // From now on nobody can sign in.
      await updateAccount(tx, account.id, { disabled_at: now })
      await endSessions(tx, account.id, { now })
    }
    return (await findAccountById(tx, account.id)) ?? account
  })
}

export async function keepOwnAccount(platform: Rows, caller: Caller): Promise<void> {
  if (caller.me.delete_by === 'operator')
    throw new Fault(
      'forbidden',
      'The operator of the platform deletes this account. Ask the operator to keep it.',
    )
  await keepAccountAs(platform, caller, caller.account.login)
}

export async function keepAccountAs(platform: Rows, by: By, login: string): Promise<AccountRow> {
  return await platform.store.transact(async (tx, changed) => {
    const account = await lockByLogin(tx, login)
    if (account.delete_at === null)
      throw new Fault('not_found', 'The account does not wait for its deletion.')
    if (account.delete_at <= platform.clock.now())
      throw new Fault('not_found', 'It is too late: the account is being deleted.')
    const owners = [account.id, ...(await orgsOf(tx, account.id)).map(({ id }) => id)]
    await updateAccount(tx, account.id, { delete_at: null, delete_by: null })
    await endDeletionSuspensions(tx, owners)
    await noteSecurityEvent(platform, tx, { action: 'account.keep', account, by })
    for (const project of await projectsOwnedBy(tx, owners)) await siteChanged(tx, changed, project)
    return { ...account, delete_at: null, delete_by: null }
  })
}

async function lockByLogin(tx: Tx, login: string): Promise<AccountRow> {
  await lockAdmins(tx)
  const found = await findAccountByLogin(tx, login.toLowerCase())
  if (found) await lockAccount(tx, found.id)
  const account = found && (await findAccountById(tx, found.id))
  if (!account) throw new Fault('not_found', `There is no account '${login.slice(0, 60)}'.`)
  return account
}

interface Deletion {
  account: AccountRow
  by: By
  deleteAt: number
  who: 'owner' | 'operator'
}

/** `tx` has locked the account. */
async function schedule(
  platform: DeletionParts,
  tx: Tx,
  changed: Changed,
  { account, by, deleteAt, who }: Deletion,
): Promise<void> {
  const now = platform.clock.now()
  const { id } = account
  await updateAccount(tx, id, { delete_at: deleteAt, delete_by: who })
  if (account.is_admin === 1) await keepOneAdmin(tx)
  const orgs = await orgsThatGo(tx, id)
  const owners = [id, ...orgs.map(org => org.id)]
  if (platform.billing !== 'off') await endPlans(platform, tx, owners)
  await suspendForDeletion(tx, owners, { ...deletionNotice, created_at: now })
  const end = { now, error: 'The account will be deleted.' }
  await takeOffline(tx, changed, await projectsOwnedBy(tx, owners), end)
  await endSessions(tx, id, { now })
  await revokeOwnTokens(tx, id, now)
  await denyApproved(tx, id)
  // Whoever has such a link could come back with a new account, or join an org that goes.
  await deleteAccountInvitesBy(tx, id)
  await revokeAllInvitesBy(tx, id)
  await noteSecurityEvent(platform, tx, {
    action: 'account.delete',
    account,
    by,
    details: { at: isoTime(deleteAt) },
  })
}

/** The orgs without other members, which are deleted with the account. Throws if others would be left without an owner. */
async function orgsThatGo(tx: Tx, accountId: string): Promise<OwnedOrg[]> {
  for (const { id } of await orgsOf(tx, accountId)) await lockOrg(tx, id)
  const orgs = await orgsOf(tx, accountId)
  const shared = orgs.filter(({ members }) => members > 1)
  const without: string[] = []
  for (const { id, name } of shared) if (!(await hasOtherOwner(tx, id, accountId))) without.push(name)
  if (without.length > 0)
    throw new Fault(
      'last_owner',
      `The account is the only owner of ${without.join(', ')}, which ${without.length > 1 ? 'have' : 'has'} other members. Make someone else an owner there, or delete the org, first.`,
    )
  return orgs.filter(({ members }) => members === 1)
}

async function keepOneAdmin(tx: Tx): Promise<void> {
  await lockAdmins(tx)
  if ((await countEnabledAdmins(tx)) === 0)
    throw new Fault(
      'last_admin',
      'This is the only platform admin that can sign in. Make another account an admin first.',
    )
}
