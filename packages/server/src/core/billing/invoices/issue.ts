// Issues invoices and credit notes, in the transaction that records the payment or refund. Numbers have no gaps: the
// series is locked until that transaction ends.
import { Fault } from '../../../lib/fault.ts'
import { newId } from '../../../lib/ids.ts'
import {
  creditedOf,
  findInvoice,
  findInvoiceOfPayment,
  insertInvoice,
  lockSeries,
  setLastNumber,
} from '../../../store/billing/invoices.ts'
import { findProfile } from '../../../store/billing/profiles.ts'
import type { Changed, Tx } from '../../../store/store.ts'
import type { InvoiceRow } from '../../../store/tables.ts'
import type { Platform } from '../../base/platform.ts'
import { titleOfOwner } from '../owners.ts'
import {
  type Amounts,
  amountsOf,
  type ChargedTax,
  type CreditPart,
  creditAmounts,
  taxFor,
} from '../vat/tax.ts'
import type { InvoiceContent, InvoiceLine, Period } from './content.ts'
import { askForDelivery } from './deliver.ts'

/** A line of this length still fits on a page. */
const longestText = 500

type Issuing = Pick<Platform, 'billing' | 'clock' | 'seller'>

interface InvoiceOrder {
  /** An account or an org. */
  ownerId: string
  /** A second call with the same id returns the first invoice. */
  paymentId: string
  lines: InvoiceLine[]
  period: Period | null
  paidAt: number
  /** The tax of the payment. By default, the tax that follows from the owner's details now (`taxFor`). */
  tax?: ChargedTax
}

interface CreditOrder {
  invoiceId: string
  /** The id of the refund. A second call with the same id returns the first credit note. */
  paymentId: string
  reason: string
  /** The amount without VAT, positive. Without it and `total_cents`, everything that was not credited yet. */
  net_cents?: number
  /** The amount with VAT, as a payment provider refunds it. */
  total_cents?: number
}

export async function issueInvoice(
  platform: Issuing,
  tx: Tx,
  changed: Changed,
  order: InvoiceOrder,
): Promise<InvoiceRow> {
  const net = order.lines.reduce((sum, line) => sum + line.net_cents, 0)
  if (!Number.isSafeInteger(net) || net < 0) throw new Error(`an invoice over ${net} cents cannot be issued`)
  return await issue(platform, tx, changed, { kind: 'invoice', ...order }, async () => {
    const { ownerId, period } = order
    const lines = order.lines.map(line => ({ ...line, text: line.text.slice(0, longestText) }))
    const { buyer, tax } = await buyerOf(tx, ownerId, order.tax)
    return {
      owner_id: ownerId,
      credits_id: null,
      content: { buyer, tax, lines, period, credits: null, paid_at: order.paidAt, ...amountsOf(net, tax) },
    }
  })
}

export async function issueCreditNote(
  platform: Issuing,
  tx: Tx,
  changed: Changed,
  order: CreditOrder,
): Promise<InvoiceRow> {
  return await issue(platform, tx, changed, { kind: 'credit_note', ...order }, async () => {
    const invoice = await findInvoice(tx, order.invoiceId)
    if (invoice?.kind !== 'invoice') throw new Fault('not_found', 'There is no such invoice.')
    const { buyer, tax, period, ...content } = JSON.parse(invoice.content) as InvoiceContent
    const credited = await creditedOf(tx, invoice.id)
    const part = creditPart(order, invoice, credited)
    const { net_cents, vat_cents, total_cents } = creditAmounts(invoice, credited, part)
    return {
      owner_id: invoice.owner_id,
      credits_id: invoice.id,
      content: {
        buyer,
        tax,
        period,
        lines: [{ text: `Refund: ${order.reason}`.slice(0, longestText), net_cents: -net_cents }],
        credits: { number: invoice.number, issued_at: content.issued_at },
        paid_at: platform.clock.now(),
        net_cents: -net_cents,
        vat_cents: -vat_cents,
        total_cents: -total_cents,
      },
    }
  })
}

function creditPart(order: CreditOrder, paid: Amounts, credited: Amounts): CreditPart {
  const key = order.total_cents === undefined ? 'net_cents' : 'total_cents'
  const left = paid[key] - credited[key]
  const cents = order[key] ?? left
  if (!Number.isSafeInteger(cents) || cents <= 0 || cents > left)
    throw new Fault(
      'invalid_request',
      `${key}: ${left} cents are left to credit of this invoice, and ${cents} were asked for.`,
    )
  return key === 'net_cents' ? { net_cents: cents } : { total_cents: cents }
}

interface Draft {
  owner_id: string
  credits_id: string | null
  content: Omit<InvoiceContent, 'kind' | 'number' | 'issued_at' | 'seller' | 'is_sandbox'>
}

/** `draft` runs after the series is locked, so the rows that it reads cannot change before the commit. */
async function issue(
  platform: Issuing,
  tx: Tx,
  changed: Changed,
  { kind, paymentId }: { kind: InvoiceRow['kind']; paymentId: string },
  draft: () => Promise<Draft>,
): Promise<InvoiceRow> {
  const now = platform.clock.now()
  const series = seriesOf(platform, kind, now)
  const last = await lockSeries(tx, `invoices ${series}`)
  const issued = await findInvoiceOfPayment(tx, paymentId)
  if (issued) return issued
  const number = `${series}-${String(last + 1).padStart(6, '0')}`
  const { owner_id, credits_id, content } = await draft()
  const { net_cents, vat_cents, total_cents } = content
  const { seller } = platform
  const whole: InvoiceContent = {
    ...content,
    kind,
    number,
    issued_at: now,
    seller,
    is_sandbox: platform.billing === 'sandbox',
  }
  const row: InvoiceRow = {
    id: newId('ivc'),
    owner_id,
    kind,
    number,
    payment_id: paymentId,
    credits_id,
    created_at: now,
    net_cents,
    vat_cents,
    total_cents,
    content: JSON.stringify(whole),
    state: 'issued',
    mailed_at: null,
    mailed_to: null,
  }
  await insertInvoice(tx, row)
  await setLastNumber(tx, `invoices ${series}`, last + 1)
  await askForDelivery(tx, row.id, now)
  await changed({ topic: 'invoice', key: row.id })
  return row
}

/** One series for each year (UTC) and kind. The sandbox has series of its own, so tests leave no gaps in the real ones. */
function seriesOf({ billing }: Pick<Issuing, 'billing'>, kind: InvoiceRow['kind'], now: number): string {
  const test = billing === 'sandbox' ? 'TEST-' : ''
  const credit = kind === 'credit_note' ? 'CN-' : ''
  return `${test}${credit}${new Date(now).getUTCFullYear()}`
}

async function buyerOf(tx: Tx, ownerId: string, charged: InvoiceOrder['tax']) {
  const profile = await findProfile(tx, ownerId)
  const { country, vat_number } = charged ?? profile ?? { country: null, vat_number: null }
  const { rate_percent, kind } = charged ?? taxFor({ country, vat_number })
  const buyer = {
    name: profile?.name ?? (await titleOfOwner(tx, ownerId)),
    address: profile?.address?.split('\n') ?? [],
    country: country && countryName(country),
    vat_number,
    email: profile?.email ?? null,
  }
  return { buyer, tax: { rate_percent, kind } }
}

const countryName = (code: string): string => new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code
