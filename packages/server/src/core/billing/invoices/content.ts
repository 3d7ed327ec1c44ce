// The content of an invoice or credit note. It is complete when the document is issued and never changes. The PDF is made
// from it alone.
import type { Tax } from '@svc/contract'
import type { Party } from '../../base/parts.ts'
import type { Amounts } from '../vat/tax.ts'

export interface InvoiceLine {
  text: string
  net_cents: number
}

export interface Period {
  start: number
  /** The first moment after the period. */
  end: number
}

export interface InvoiceContent extends Amounts {
  kind: 'invoice' | 'credit_note'
  number: string
  issued_at: number
  /** When it was paid or refunded. */
  paid_at: number
  period: Period | null
  seller: Party
  buyer: Party & { country: string | null }
  lines: InvoiceLine[]
  tax: Tax
  /** The invoice that a credit note credits. */
  credits: { number: string; issued_at: number } | null
  /** Whether it is from the sandbox. Then no money was moved. */
  is_sandbox: boolean
}

/** The notes that the law requires on invoices without VAT. */
export const taxNotes: Record<Tax['kind'], string | undefined> = {
  domestic: undefined,
  reverse_charge:
    'VAT reverse charged: Article 196, Council Directive 2006/112/EC. The customer accounts for the VAT.',
  outside_eu:
    'No EU VAT is charged: the service is supplied to a customer outside the EU (Articles 44 and 59, Directive 2006/112/EC).',
}
