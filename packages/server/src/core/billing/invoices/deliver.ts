// Delivers an invoice: makes its PDF, stores it, then sends it by email. Every step is stored before the next begins, so
// that a program that is killed goes on where it was.
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
import { enqueue } from '../../../store/platform/jobs.ts'
import type { Db } from '../../../store/store.ts'
import type { InvoiceRow } from '../../../store/tables.ts'
import type { Platform, Rows } from '../../platform/platform.ts'
import { spend } from '../../platform/rate-limit.ts'
import { emailFor } from '../owners.ts'
import type { InvoiceContent } from './content.ts'
import { letterFor } from './letter.ts'
import { fileName } from './links.ts'

export type RenderInvoice = (content: InvoiceContent) => Promise<Uint8Array>

const triedForMs = 7 * dayMs
/** Between two attempts to send an email: the longer it has waited, the longer. */
const pauseMs = { min: 30_000, max: hourMs }
const askedAtOnce = 100

export const askForDelivery = (db: Db, invoiceId: string, now: number): Promise<void> =>
  enqueue(db, { kind: 'invoice', key: invoiceId, runAt: now, now })

/** Jobs end after some failures: what is still to be delivered is asked for again. */
export async function askForMissingDeliveries({ store, clock }: Rows): Promise<void> {
  for (const id of await undeliveredInvoices(store.db, askedAtOnce))
    await askForDelivery(store.db, id, clock.now())
}

/** Answers when to try again, if the email may not be sent yet. */
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
  const to = await emailFor(store.db, invoice.owner_id)
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
    // The same for every attempt: a mail server recognises one that it took before.
    messageId: `<${invoice.id}@${platform.domain}>`,
    attachments: [{ filename: fileName(invoice), content: pdf, contentType: 'application/pdf' }],
  }
  if (!(await mailer.send(mail)))
    return now + Math.min(pauseMs.max, Math.max(pauseMs.min, now - invoice.created_at))
  await setDelivered(store.db, invoice.id, { to, at: clock.now() })
  return undefined
}

/** The address is confirmed by nobody, and in the sandbox payments cost nothing. Answers the seconds to wait. */
async function tooManyMails(platform: Rows, ownerId: string, to: string): Promise<number | undefined> {
  for (const key of [`invoices to ${sha256(to.toLowerCase())}`, `invoices of ${ownerId}`]) {
    const { retryAfter } = await spend(platform, key, rateLimits.invoiceMail)
    if (retryAfter !== undefined) return retryAfter
  }
  return undefined
}
