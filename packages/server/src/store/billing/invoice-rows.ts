// Who is billed, and what was invoiced.

/** The invoice details of an account or an org. */
export interface BillingProfileRow {
  owner_id: string
  name: string | null
  /** Several lines. */
  address: string | null
  /** ISO 3166. */
  country: string | null
  /** With its prefix. The EU's registry knew it at `vat_checked_at`. */
  vat_number: string | null
  vat_checked_at: number | null
  /** The registry's own number of that check, which proves it to the tax authorities. */
  vat_consultation: string | null
  email: string | null
  updated_at: number
}

/** Never changed once it is issued, but for its state and where its email went. */
export interface InvoiceRow {
  id: string
  owner_id: string
  kind: 'invoice' | 'credit_note'
  number: string
  /** The payment or refund that it is for. */
  payment_id: string
  /** The invoice that a credit note credits. */
  credits_id: string | null
  created_at: number
  /** Amounts of credit notes are negative. */
  net_cents: number
  vat_cents: number
  total_cents: number
  /** What the document says, as JSON (InvoiceContent). */
  content: string
  /** Issued: has no PDF yet. Rendered: the PDF is stored, its email is not sent. Delivered: nothing is left to do. */
  state: 'issued' | 'rendered' | 'delivered'
  /** Both null if it was delivered without an email. */
  mailed_at: number | null
  mailed_to: string | null
}

export interface InvoiceDocumentRow {
  invoice_id: string
  base64: string
  rendered_at: number
}
