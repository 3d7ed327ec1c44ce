// All invoices and credit notes of the platform, for its operator: a list, and CSV for the accounts.
import type { AdminInvoice } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { csvLine } from '../../lib/csv.ts'
import { Fault } from '../../lib/fault.ts'
import type { PageRequest } from '../../lib/page.ts'
import { type InvoiceRange, listAllInvoices } from '../../store/admin/invoices.ts'
import type { Platform } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import type { InvoiceContent } from '../billing/invoices/content.ts'

const rowsAtOnce = 100

/** UTC days. `to` is included. */
interface Days {
  from?: string | undefined
  to?: string | undefined
}

export async function allInvoices(
  { store }: Pick<Platform, 'store'>,
  { from, to, ...page }: PageRequest & Days,
): Promise<{ invoices: AdminInvoice[]; next_cursor: string | null }> {
  const { rows, next_cursor } = await listAllInvoices(store.db, page, rangeOf({ from, to }))
  return { invoices: rows.map(describe), next_cursor }
}

function rangeOf({ from, to }: Days): InvoiceRange {
  const [start, end] = [from, to].map(day => (day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`)))
  if (start !== undefined && end !== undefined && start > end)
    throw new Fault('invalid_request', 'from: must not be later than to')
  return { from: start, to: end === undefined ? undefined : end + dayMs }
}

type Row = Awaited<ReturnType<typeof listAllInvoices>>['rows'][number]

function describe(row: Row): AdminInvoice {
  const { buyer, tax, is_sandbox } = JSON.parse(row.content) as InvoiceContent
  const { id, number, kind, credits, net_cents, vat_cents, total_cents, owner_id, owner } = row
  return {
    ...{ id, number, kind, credits, net_cents, vat_cents, total_cents, owner_id, owner, is_sandbox },
    created_at: isoTime(Number(row.created_at)),
    has_document: row.state !== 'issued',
    buyer: { name: buyer.name, country: buyer.country, vat_number: buyer.vat_number },
    tax,
    mailed_to: row.mailed_to,
  }
}

const columns: Record<string, (invoice: AdminInvoice) => string | null> = {
  number: ({ number }) => number,
  kind: ({ kind }) => kind,
  credits: ({ credits }) => credits,
  date: ({ created_at }) => created_at.slice(0, 10),
  buyer: ({ buyer }) => buyer.name,
  country: ({ buyer }) => buyer.country,
  vat_number: ({ buyer }) => buyer.vat_number,
  vat: ({ tax }) => tax.kind,
  vat_percent: ({ tax }) => String(tax.rate_percent),
  net_eur: ({ net_cents }) => euros(net_cents),
  vat_eur: ({ vat_cents }) => euros(vat_cents),
  total_eur: ({ total_cents }) => euros(total_cents),
  owner_id: ({ owner_id }) => owner_id,
  owner: ({ owner }) => owner,
  sandbox: ({ is_sandbox }) => (is_sandbox ? 'yes' : 'no'),
}

const euros = (cents: number): string => (cents / 100).toFixed(2)

/** Newest first, in pieces. */
export async function* exportInvoices(platform: Pick<Platform, 'store'>, days: Days): AsyncGenerator<string> {
  yield csvLine(Object.keys(columns))
  let cursor: string | undefined
  do {
    const page = await allInvoices(platform, { ...days, limit: rowsAtOnce, cursor })
    yield page.invoices
      .map(invoice => csvLine(Object.values(columns).map(read => read(invoice) ?? '')))
      .join('')
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}
