// Members of an org. There is always at least one owner.
import type { Member, Role } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { revokeInvitesBy } from '../../store/orgs/invites.ts'
import { deleteMember, findMember, hasOtherOwner, roleIn, setRole } from '../../store/orgs/orgs.ts'
import type { Tx } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { lockExistingOrg } from './orgs.ts'
import { hasRole, type OrgScope, requireRole } from './rights.ts'

export async function changeRole(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  login: string,
  role: Role,
): Promise<Member> {
  return await platform.store.transact(async tx => {
    const mine = await takeTurn(tx, caller, org)
    requireRole(mine, 'owner', org.name)
    const member = await memberOf(tx, org, login)
    if (member.role === 'owner' && role !== 'owner') await keepOneOwner(tx, org, member.account_id)
    await setRole(tx, org.id, member.account_id, role)
    if (!hasRole(role, 'admin')) await revokeInvitesBy(tx, org.id, member.account_id)
    const details = { from: member.role, to: role }
    await audit(platform, tx, caller, { action: 'member.role', orgId: org.id, target: member.login, details })
    return { login: member.login, role, joined_at: isoTime(member.joined_at) }
  })
}

/**
 * Anyone may leave. Admins remove members and admins. Only owners remove owners. The member's open invites are revoked,
 * because the member could come back with such a link.
 */
export async function removeMember(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  login: string,
): Promise<void> {
  await platform.store.transact(async tx => {
    const mine = await takeTurn(tx, caller, org)
    const member = await memberOf(tx, org, login)
    if (member.account_id !== caller.account.id)
      requireRole(mine, member.role === 'owner' ? 'owner' : 'admin', org.name)
    if (member.role === 'owner') await keepOneOwner(tx, org, member.account_id)
    await deleteMember(tx, org.id, member.account_id)
    await revokeInvitesBy(tx, org.id, member.account_id)
    await audit(platform, tx, caller, { action: 'member.remove', orgId: org.id, target: member.login })
  })
}

/** Locks the org, then reads the caller's role again, because it may have changed since the request was authorised. */
async function takeTurn(tx: Tx, caller: Caller, org: OrgScope): Promise<Role> {
  await lockExistingOrg(tx, org)
  const role = await roleIn(tx, org.id, caller.account.id)
  if (!role) throw new Fault('not_found', `There is no org '${org.name}' that you belong to.`)
  return role
}

async function memberOf(tx: Tx, org: OrgScope, login: string) {
  const member = await findMember(tx, org.id, login.toLowerCase())
  if (!member)
    throw new Fault('not_found', `'${login.slice(0, 60)}' is not a member of the org '${org.name}'.`)
  return member
}

/** An owner whose account is disabled cannot do anything for the org, so one must stay who can. */
async function keepOneOwner(tx: Tx, org: OrgScope, without: string): Promise<void> {
  if (!(await hasOtherOwner(tx, org.id, without)))
    throw new Fault(
      'last_owner',
      'An org keeps at least one owner whose account is not disabled. Make someone else an owner first.',
    )
}
