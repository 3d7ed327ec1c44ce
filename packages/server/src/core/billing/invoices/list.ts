// The invoices and credit notes of an account or an org.
import type { Invoice } from '@svc/contract'
import { invoicesOf } from '../../../store/billing/invoices.ts'
import type { Db } from '../../../store/store.ts'
import { isoTime } from '../../base/times.ts'

/** Ten years of monthly invoices, with some changes of plan. */
const shownAtMost = 200

/** The newest first. */
export async function listInvoices(db: Db, ownerId: string): Promise<Invoice[]> {
  const rows = await invoicesOf(db, ownerId, shownAtMost)
  return rows.map(({ state, created_at, ...row }) => ({
    ...row,
    created_at: isoTime(created_at),
    has_document: state !== 'issued',
  }))
}
