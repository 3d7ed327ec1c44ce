// The owners who are billed: accounts and orgs, by id.

import { findProfile } from '../../store/billing/profiles.ts'
import { findAccountById, lockAccount, ownerEmails } from '../../store/identity/accounts.ts'
import { findOrgById, lockOrg } from '../../store/orgs/orgs.ts'
import type { Db, Tx } from '../../store/store.ts'
import { isPrintable } from './printable.ts'

export const isOrg = (ownerId: string): boolean => ownerId.startsWith('org_')

/** Locks the owner at the start of a transaction that changes billing. Returns false if the org was deleted. */
export async function lockOwner(tx: Tx, ownerId: string): Promise<boolean> {
  if (isOrg(ownerId)) return await lockOrg(tx, ownerId)
  await lockAccount(tx, ownerId)
  return true
}

/** The name on invoices if the owner gave none. */
export async function titleOfOwner(db: Db, ownerId: string): Promise<string> {
  if (!isOrg(ownerId)) return (await findAccountById(db, ownerId))?.login ?? ownerId
  const org = await findOrgById(db, ownerId)
  const shown = org?.display_name?.trim()
  return shown && isPrintable(shown) ? shown : (org?.name ?? ownerId)
}

/** The address for invoices: the billing email, else the email of the account or of an owner of the org. */
export async function emailFor(db: Db, ownerId: string): Promise<string | undefined> {
  const owner = isOrg(ownerId) ? { org_id: ownerId, account_id: null } : { org_id: null, account_id: ownerId }
  return (await findProfile(db, ownerId))?.email ?? (await ownerEmails(db, owner))[0]
}

/** Where the dashboard shows the billing of this owner. */
export async function billingPath(db: Db, ownerId: string): Promise<string> {
  if (!isOrg(ownerId)) return '/billing'
  return `/orgs/${(await findOrgById(db, ownerId))?.name ?? ''}/billing`
}
