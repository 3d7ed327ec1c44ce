// Delivers an invoice: makes its PDF, stores it, then sends it by email. Every step is stored before the next begins, so
// that delivery continues after a crash.
import { rateLimits } from '@svc/contract'
import { dayMs, hourMs } from '@svc/contract/durations'
import { sha256 } from '../../../lib/ids.ts'
import type { Mail } from '../../../ports/mailer/port.ts'
import {
  findDocument,
  findInvoice,
  setDelivered,
  storeDocument,
  undeliveredInvoices,
} from '../../../store/billing/invoices.ts'
import type { Db } from '../../../store/store.ts'
import type { InvoiceRow } from '../../../store/tables.ts'
import { enqueue } from '../../base/jobs.ts'
import type { Platform, Rows } from '../../base/platform.ts'
import { spend } from '../../base/rate-limit.ts'
import { emailFor } from '../owners.ts'
import type { InvoiceContent } from './content.ts'
import { letterFor } from './letter.ts'
import { fileName } from './links.ts'

export type RenderInvoice = (content: InvoiceContent) => Promise<Uint8Array>

const triedForMs = 7 * dayMs
/** The pause between two attempts to send an email. It grows with the age of the invoice. */
const pauseMs = { min: 30_000, max: hourMs }
const askedAtOnce = 100

export const askForDelivery = (db: Db, invoiceId: string, now: number): Promise<void> =>
  enqueue(db, 'invoice', { id: invoiceId }, { now })

/** Queues invoices that were not delivered because their job failed too often. */
export async function askForMissingDeliveries({ store, clock }: Rows): Promise<void> {
  for (const id of await undeliveredInvoices(store.db, askedAtOnce))
    await askForDelivery(store.db, id, clock.now())
}

/** Returns when to try again if the email could not be sent yet. */
export async function deliverInvoice(
  platform: Rows & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  render: RenderInvoice,
  invoiceId: string,
): Promise<number | undefined> {
  const { db } = platform.store
  const invoice = await findInvoice(db, invoiceId)
  if (!invoice || invoice.state === 'delivered') return undefined
  if (invoice.state === 'issued') await makeDocument(platform, render, invoice)
  return await sendDocument(platform, invoice)
}

async function makeDocument(
  { store, clock }: Rows,
  render: RenderInvoice,
  invoice: InvoiceRow,
): Promise<void> {
  const pdf = await render(JSON.parse(invoice.content) as InvoiceContent)
  const base64 = Buffer.from(pdf).toString('base64')
  await store.transact(tx => storeDocument(tx, { invoice_id: invoice.id, base64, rendered_at: clock.now() }))
}

async function sendDocument(
  platform: Rows & Pick<Platform, 'domain' | 'mailer' | 'urls'>,
  invoice: InvoiceRow,
): Promise<number | undefined> {
  const { mailer, clock, store } = platform
  const now = clock.now()
  // An org that was deleted has no details any more, but its invoices have.
  const { buyer } = JSON.parse(invoice.content) as InvoiceContent
  const to = (await emailFor(store.db, invoice.owner_id)) ?? buyer.email ?? undefined
  const isTooLate = now - invoice.created_at > triedForMs
  if (!mailer.isConfigured || to === undefined || isTooLate) {
    await setDelivered(store.db, invoice.id, null)
    return undefined
  }
  const retryAfter = await tooManyMails(platform, invoice.owner_id, to)
  if (retryAfter !== undefined) return now + retryAfter * 1000
  const pdf = await findDocument(store.db, invoice.id)
  if (!pdf) throw new Error(`the PDF of the invoice ${invoice.number} is gone`)
  const mail: Mail = {
    to,
    ...letterFor(platform, invoice),
    // The id is the same for every attempt, so that a mail server can recognise a duplicate.
    messageId: `<${invoice.id}@${platform.domain}>`,
    attachments: [{ filename: fileName(invoice), content: pdf, contentType: 'application/pdf' }],
  }
  if (!(await mailer.send(mail)))
    return now + Math.min(pauseMs.max, Math.max(pauseMs.min, now - invoice.created_at))
  await setDelivered(store.db, invoice.id, { to, at: clock.now() })
  return undefined
}

/**
 * Returns the seconds to wait if the limit is reached. It exists because nobody has confirmed the address, and payments in
 * the sandbox are free: anybody could otherwise send many emails to a stranger.
 */
async function tooManyMails(platform: Rows, ownerId: string, to: string): Promise<number | undefined> {
  for (const key of [`invoices to ${sha256(to.toLowerCase())}`, `invoices of ${ownerId}`]) {
    const { retryAfter } = await spend(platform, key, rateLimits.invoiceMail)
    if (retryAfter !== undefined) return retryAfter
  }
  return undefined
}
