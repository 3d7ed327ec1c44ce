// What an invoice or credit note says: complete when it is issued, and never changed. The PDF is made from it alone.
import type { Tax } from '@svc/contract'
import type { Amounts } from '../vat/tax.ts'

export interface Party {
  name: string
  address: string[]
  vat_number: string | null
  email: string | null
}

export interface InvoiceLine {
  text: string
  net_cents: number
}

export interface Period {
  start: number
  /** Exclusive. */
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
  /** Of a credit note: the invoice that it credits. */
  credits: { number: string; issued_at: number } | null
  /** No money was moved. */
  is_sandbox: boolean
}

/** What the law wants to be said about VAT that is not charged. */
export const taxNotes: Record<Tax['kind'], string | undefined> = {
  domestic: undefined,
  reverse_charge:
    'VAT reverse charged: Article 196, Council Directive 2006/112/EC. The customer accounts for the VAT.',
  outside_eu:
    'No EU VAT is charged: the service is supplied to a customer outside the EU (Articles 44 and 59, Directive 2006/112/EC).',
}
