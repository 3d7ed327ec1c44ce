// The email that brings an invoice or credit note.

import type { InvoiceRow } from '../../../store/tables.ts'
import type { Platform } from '../../base/platform.ts'
import type { InvoiceContent } from './content.ts'
import { date, euros } from './words.ts'

export function letterFor(
  { urls }: Pick<Platform, 'urls'>,
  invoice: InvoiceRow,
): { subject: string; text: string } {
  const { seller, number, kind, total_cents, paid_at, credits, is_sandbox } = JSON.parse(
    invoice.content,
  ) as InvoiceContent
  const amount = euros(Math.abs(total_cents))
  const paragraphs = [
    kind === 'invoice'
      ? `Thank you for your payment of ${amount} on ${date(paid_at)}. Invoice ${number} is attached as a PDF.`
      : `We refunded ${amount} of invoice ${credits?.number}. Credit note ${number} is attached as a PDF.`,
    ...(is_sandbox ? ['This is a test: payments are in sandbox mode, and no money was moved.'] : []),
    `All invoices and your invoice details: ${urls.dashboard}`,
    [seller.name, seller.email].filter(Boolean).join('\n'),
  ]
  const noun = kind === 'invoice' ? 'Invoice' : 'Credit note'
  return { subject: `${noun} ${number} from ${seller.name}`, text: `${paragraphs.join('\n\n')}\n` }
}
