// Events of the payment provider. An event only tells that something changed. The state of the payment is then read from the
// provider, so events may arrive late, twice or in any order.
import { Fault } from '../../lib/fault.ts'
import { creditedOf, findInvoiceOfPayment, lockInvoice } from '../../store/billing/invoices.ts'
import { findPayment, findPaymentByRef, insertEvent } from '../../store/billing/payments.ts'
import type { BillingParts, Platform, Rows } from '../base/platform.ts'
import { requirePayments } from './enabled.ts'
import { issueCreditNote } from './invoices/issue.ts'
import { lockOwner } from './owners.ts'
import { orderOf, settle } from './payments.ts'

export async function takeEvent(
  platform: BillingParts,
  body: Buffer,
  signature: string | undefined,
): Promise<void> {
  const payments = requirePayments(platform)
  const event = payments.readEvent(body, signature)
  if (!event) throw new Fault('unauthorized', 'The signature of the event is missing, wrong or too old.')
  const payment = event.paymentId && (await findPayment(platform.store.db, event.paymentId))
  // The process that makes a charge also settles it, or the worker does after a crash.
  if (payment && payment.kind !== 'renewal' && payment.kind !== 'change')
    await settle(platform, payment.id, await payments.lookUp(orderOf(platform, payment)))
  if (event.refunded) await noteRefund(platform, event.refunded)
  const { id, type } = event
  await platform.store.transact(tx => insertEvent(tx, { id, type, received_at: platform.clock.now() }))
}

/** Issues a credit note for money that the operator refunded at the provider, in full or in part. */
async function noteRefund(
  platform: Rows & Pick<Platform, 'billing' | 'seller'>,
  { ref, cents }: { ref: string; cents: number },
): Promise<void> {
  await platform.store.transact(async (tx, changed) => {
    const payment = await findPaymentByRef(tx, ref)
    if (!payment) return
    // An org that was deleted has no row to lock, and gets its credit note all the same.
    await lockOwner(tx, payment.owner_id)
    const invoice = await findInvoiceOfPayment(tx, payment.id)
    if (!invoice) return
    await lockInvoice(tx, invoice.id)
    const { total_cents: credited } = await creditedOf(tx, invoice.id)
    if (cents <= credited) return
    const credit = {
      invoiceId: invoice.id,
      paymentId: `${payment.id} refund ${cents}`,
      reason: 'paid back to your card',
      total_cents: cents - credited,
    }
    await issueCreditNote(platform, tx, changed, credit)
  })
}
