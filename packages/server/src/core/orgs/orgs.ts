// Organizations: shared workspaces with roles.
import type { Org, OrgDetail, Role } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page.ts'
import { deleteOwnLimits } from '../../store/billing/owner-limits.ts'
import { paymentsOf } from '../../store/billing/payments.ts'
import { deleteProfile } from '../../store/billing/profiles.ts'
import { deleteSubscription, findSubscription } from '../../store/billing/subscriptions.ts'
import { findAccountByLogin, lockAccount, lockOwnerNames } from '../../store/identity/accounts.ts'
import {
  countOwnedOrgs,
  countProjects,
  deleteOrg,
  insertMember,
  insertOrg,
  listMembers,
  listOrgs,
  lockOrg,
  type OrgWithIcon,
  renameOrg,
} from '../../store/orgs/orgs.ts'
import type { Tx } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import { checkName } from '../base/names.ts'
import { isPaidFor, requireRoom } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { OrgScope } from './rights.ts'

export async function createOrg(
  platform: PlanSettings & Rows & Pick<Platform, 'reservedNames'>,
  caller: Caller,
  input: { name: string; display_name?: string | null | undefined },
): Promise<Org> {
  checkName(platform, input.name)
  const now = platform.clock.now()
  const row = {
    id: newId('org'),
    name: input.name,
    display_name: input.display_name || null,
    created_at: now,
  }
  await platform.store.transact(async tx => {
    await lockOwnerNames(tx)
    await lockAccount(tx, caller.account.id)
    await requireRoom(platform, tx, caller.account.id, 'orgs', await countOwnedOrgs(tx, caller.account.id))
    if ((await findAccountByLogin(tx, row.name)) || !(await insertOrg(tx, row)))
      throw new Fault('name_taken', `The name '${row.name}' is taken. Choose another.`)
    await insertMember(tx, { org_id: row.id, account_id: caller.account.id, role: 'owner', joined_at: now })
    await audit(platform, tx, caller, { action: 'org.create', orgId: row.id, target: row.name })
  })
  return describeOrg({ ...row, icon_hash: null }, 'owner')
}

export async function ownOrgs(platform: Pick<Platform, 'store'>, caller: Caller, page: PageRequest) {
  const { rows, next_cursor } = await listOrgs(platform.store.db, caller.account.id, page)
  return { orgs: rows.map(row => describeOrg(row, row.role)), next_cursor }
}

export async function orgDetail(platform: Pick<Platform, 'store'>, org: OrgScope): Promise<OrgDetail> {
  const members = await listMembers(platform.store.db, org.id)
  return {
    ...describeOrg(org, org.role),
    members: members.map(m => ({ login: m.login, role: m.role, joined_at: isoTime(m.joined_at) })),
    project_count: await countProjects(platform.store.db, { orgId: org.id }),
  }
}

export async function changeDisplayName(
  platform: Rows,
  caller: Caller,
  org: OrgScope,
  displayName: string | null,
): Promise<Org> {
  await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    await renameOrg(tx, org.id, displayName || null)
    const details = { display_name: displayName || null }
    await audit(platform, tx, caller, { action: 'org.update', orgId: org.id, target: org.name, details })
  })
  return describeOrg({ ...org, display_name: displayName || null }, org.role)
}

/** Its audit log and invoice details go with it. The law wants its invoices to be kept. */
export async function removeOrg(platform: Rows & Pick<Platform, 'billing'>, org: OrgScope): Promise<void> {
  await platform.store.transact(async tx => {
    await lockExistingOrg(tx, org)
    if ((await countProjects(tx, { orgId: org.id })) > 0)
      throw new Fault('org_not_empty', 'The org still has projects. Delete or transfer them first.')
    const subscription = await findSubscription(tx, org.id)
    if (platform.billing !== 'off' && subscription && isPaidFor(subscription, platform.clock.now()))
      throw new Fault(
        'subscription_active',
        "The org's plan is active. Cancel it and wait until it has lapsed.",
      )
    if ((await paymentsOf(tx, org.id, 'charging')).length > 0)
      throw new Fault('payment_pending', 'A payment for the org is under way. Try again in a few minutes.')
    await deleteSubscription(tx, org.id)
    await deleteProfile(tx, org.id)
    await deleteOwnLimits(tx, org.id)
    await deleteOrg(tx, org.id)
  })
}

/** Locks the org at the start of a transaction that changes it. Throws if the org is gone. */
export async function lockExistingOrg(tx: Tx, org: Pick<OrgWithIcon, 'id' | 'name'>): Promise<void> {
  if (!(await lockOrg(tx, org.id)))
    throw new Fault('not_found', `There is no org '${org.name}' that you belong to.`)
}

export const describeOrg = (row: OrgWithIcon, role: Role): Org => ({
  id: row.id,
  name: row.name,
  display_name: row.display_name,
  icon_url: row.icon_hash ? `/orgs/${row.name}/icon?v=${row.icon_hash}` : null,
  role,
  created_at: isoTime(row.created_at),
})
