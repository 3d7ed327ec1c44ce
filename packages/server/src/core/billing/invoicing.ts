// What billing needs of invoices.
import { findAccountById, lockAccount, ownerEmails } from '../../store/accounts.ts'
import { findOrgById, lockOrg } from '../../store/orgs.ts'
import type { Changed, Db, Tx } from '../../store/store.ts'
import type { Platform } from '../platform.ts'

export const isOrg = (ownerId: string): boolean => ownerId.startsWith('org_')

/** False if the org was deleted. */
export async function holdOwner(tx: Tx, ownerId: string): Promise<boolean> {
  if (isOrg(ownerId)) return await lockOrg(tx, ownerId)
  await lockAccount(tx, ownerId)
  return true
}

export async function titleOfOwner(db: Db, ownerId: string): Promise<string> {
  if (isOrg(ownerId)) return (await findOrgById(db, ownerId))?.name ?? ownerId
  return (await findAccountById(db, ownerId))?.login ?? ownerId
}

export async function emailFor(db: Db, ownerId: string): Promise<string | undefined> {
  const owner = isOrg(ownerId) ? { org_id: ownerId, account_id: null } : { org_id: null, account_id: ownerId }
  return (await ownerEmails(db, owner))[0]
}

export interface ChargedTax {
  rate_percent: number
  kind: 'domestic' | 'reverse_charge' | 'outside_eu'
  country: string | null
  vat_number: string | null
}

export async function taxOf(_db: Db, _ownerId: string): Promise<ChargedTax> {
  return { rate_percent: 21, kind: 'domestic', country: null, vat_number: null }
}

export function amountsOf(net_cents: number, { rate_percent }: Pick<ChargedTax, 'rate_percent'>) {
  const vat_cents = Math.floor((net_cents * rate_percent + 50) / 100)
  return { net_cents, vat_cents, total_cents: net_cents + vat_cents }
}

export async function issueInvoice(
  _platform: Platform,
  _tx: Tx,
  _changed: Changed,
  _invoice: {
    ownerId: string
    paymentId: string
    lines: { text: string; net_cents: number }[]
    period: { start: number; end: number } | null
    paidAt: number
    tax?: ChargedTax
  },
): Promise<void> {
  // Invoices come in a change of their own.
}

export async function billingProfileOf(_db: Db, _ownerId: string) {
  return { name: null, country: null, vat_number: null, email: null }
}

export async function listInvoices(_db: Db, _ownerId: string) {
  return []
}
