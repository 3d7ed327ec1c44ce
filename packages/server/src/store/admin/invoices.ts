// The invoices of all owners, also of those that were deleted, for the operator.
import { type PageRequest, pageOf } from '../../lib/page.ts'
import { olderThan } from '../pages.ts'
import type { Db } from '../store.ts'

/** Times in milliseconds. `to` is the first moment that does not belong to it. */
export interface InvoiceRange {
  from?: number | undefined
  to?: number | undefined
}

/** Newest first. `owner` is null if the account or org was deleted. */
export async function listAllInvoices(db: Db, page: PageRequest, { from, to }: InvoiceRange) {
  const rows = await db
    .selectFrom('invoices')
    .leftJoin('invoices as credited', 'credited.id', 'invoices.credits_id')
    .leftJoin('accounts', 'accounts.id', 'invoices.owner_id')
    .leftJoin('orgs', 'orgs.id', 'invoices.owner_id')
    .selectAll('invoices')
    .select(eb => ['credited.number as credits', eb.fn.coalesce('accounts.login', 'orgs.name').as('owner')])
    .where(olderThan('invoices', page))
    .$if(from !== undefined, query => query.where('invoices.created_at', '>=', from!))
    .$if(to !== undefined, query => query.where('invoices.created_at', '<', to!))
    .orderBy('invoices.created_at', 'desc')
    .orderBy('invoices.id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page.limit)
}
