// Payments. A payment is recorded before the provider is called, the call has an idempotency key, and it is settled once.
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { type Customer, type Order, PaymentRefused, type PaymentResult } from '../../ports/payments/port.ts'
import {
  findCustomer,
  findPayment,
  insertPayment,
  movePayment,
  saveCustomer,
} from '../../store/billing/payments.ts'
import type { Changed, Db, Tx } from '../../store/store.ts'
import type { PaymentRow, SubscriptionRow } from '../../store/tables.ts'
import type { BillingParts, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { requirePayments } from './enabled.ts'
import { issueInvoice } from './invoices/issue.ts'
import { queueMail } from './mails.ts'
import { emailFor, lockOwner } from './owners.ts'
import { periodAt } from './periods.ts'
import { taxOf } from './profile.ts'
import type { Event } from './states.ts'
import { moveOn } from './subscriptions.ts'
import { amountsOf, type ChargedTax } from './vat/tax.ts'

/** If the process ends during a call to the provider, the worker calls again after this time. */
export const askAgainMs = 2 * 60_000

type NewPayment = Pick<
  PaymentRow,
  'owner_id' | 'kind' | 'status' | 'plan' | 'period' | 'net_cents' | 'due_at'
>

/** Called in a transaction that has locked the owner. The total includes the VAT that applies now. */
export async function notePayment(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  payment: NewPayment,
): Promise<PaymentRow> {
  const tax = await taxOf(tx, payment.owner_id)
  const row: PaymentRow = {
    ...payment,
    id: newId('pay'),
    total_cents: amountsOf(payment.net_cents, tax).total_cents,
    tax: JSON.stringify(tax),
    session_hash: null,
    provider_ref: null,
    created_at: platform.clock.now(),
    settled_at: null,
    error: null,
  }
  await insertPayment(tx, row)
  return row
}

export const orderOf = (platform: Pick<Platform, 'catalog'>, row: PaymentRow): Order => ({
  id: row.id,
  ownerId: row.owner_id,
  text: textOf(platform, row),
  totalCents: row.total_cents,
  ref: row.provider_ref,
  createdAt: row.created_at,
})

export async function customerOf(db: Db, ownerId: string): Promise<Customer> {
  const known = await findCustomer(db, ownerId)
  const email = await emailFor(db, ownerId)
  return { ref: known?.customer_ref ?? null, method: known?.method_ref ?? null, email }
}

/** Charges the stored card and settles the payment. Safe to repeat. */
export async function charge(platform: BillingParts, row: PaymentRow): Promise<PaymentResult> {
  const payments = requirePayments(platform)
  const customer = await customerOf(platform.store.db, row.owner_id)
  const result = await payments.charge(orderOf(platform, row), customer).catch(cause => {
    if (cause instanceof PaymentRefused) throw refusedByProvider(cause)
    throw new Fault(
      'payment_unavailable',
      'The payment provider does not answer, so it is not known yet whether the payment went through. It is looked up in a few minutes; nothing is charged twice.',
      { cause },
    )
  })
  await settle(platform, row.id, result)
  // The operator has to know why.
  if (result.status === 'declined' && result.refusal !== undefined)
    throw new Fault('payment_failed', result.reason, { cause: new PaymentRefused(result.refusal) })
  return result
}

/** The cause is logged. */
export const refusedByProvider = (cause: PaymentRefused): Fault =>
  new Fault(
    'payment_unavailable',
    'The payment provider refuses the calls of this platform, so nothing was charged. Trying again does not help: the operator of the platform finds the reason in its log.',
    { cause },
  )

const final = { paid: 'paid', declined: 'failed', expired: 'expired' } as const
/** A payment may still arrive on a page that was just closed. */
const unsettled: Record<keyof typeof final, readonly PaymentRow['status'][]> = {
  paid: ['open', 'charging', 'expired', 'failed'],
  declined: ['charging'],
  expired: ['open'],
}

/** Records the result of a payment once, with all its consequences. Returns whether this call recorded it. */
export async function settle(
  platform: Rows & Pick<Platform, 'billing' | 'catalog' | 'seller'>,
  id: string,
  result: PaymentResult,
): Promise<boolean> {
  if (result.status === 'open') return false
  const { status } = result
  return await platform.store.transact(async (tx, changed) => {
    const payment = await findPayment(tx, id)
    const exists = payment && (await lockOwner(tx, payment.owner_id))
    if (!payment) return false
    const now = platform.clock.now()
    const change = {
      status: final[status],
      settled_at: now,
      due_at: null,
      error: status === 'declined' ? result.reason.slice(0, 300) : null,
      ...('ref' in result && result.ref && { provider_ref: result.ref }),
    }
    if (!(await movePayment(tx, id, unsettled[status], change))) return false
    if (status === 'paid' && exists)
      await saveCustomer(tx, payment.owner_id, { customer_ref: result.customer, method_ref: result.method })
    const event = eventOf(payment, status, now)
    const { after, effects } =
      event && exists
        ? await moveOn(platform, tx, payment.owner_id, event)
        : { after: undefined, effects: exists || status !== 'paid' ? [] : [{ do: 'refund' as const }] }
    if (payment.total_cents === 0) return true
    if (effects.some(effect => effect.do === 'refund')) await beginRefund(platform, tx, payment)
    else if (status === 'paid') await invoice(platform, tx, changed, payment, after)
    return true
  })
}

/** Applies the result of a payment to the subscription. */
function eventOf(
  { kind, plan, period }: PaymentRow,
  status: keyof typeof final,
  at: number,
): Event | undefined {
  if (kind === 'renewal' && status === 'declined') return { kind: 'declined', at }
  if (status !== 'paid' || kind === 'card') return undefined
  if (kind === 'checkout') return { kind: 'bought', plan, at }
  return { kind: kind === 'renewal' ? 'renewed' : 'upgraded', plan, period: period ?? 0 }
}

async function beginRefund(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  { id, owner_id, total_cents }: PaymentRow,
): Promise<void> {
  await movePayment(tx, id, ['paid'], { status: 'refunding', due_at: platform.clock.now() })
  const mail = {
    ownerId: owner_id,
    kind: 'refunded',
    once: `refunded ${id}`,
    details: { cents: total_cents },
  } as const
  await queueMail(platform, tx, mail)
}

async function invoice(
  platform: Pick<Platform, 'billing' | 'catalog' | 'clock' | 'seller'>,
  tx: Tx,
  changed: Changed,
  payment: PaymentRow,
  subscription: SubscriptionRow | undefined,
): Promise<void> {
  const now = platform.clock.now()
  const period = subscription && periodAt(subscription.anchor, subscription.period)
  await issueInvoice(platform, tx, changed, {
    ownerId: payment.owner_id,
    paymentId: payment.id,
    lines: [{ text: textOf(platform, payment), net_cents: payment.net_cents }],
    // The payment for an upgrade covers the period from now on.
    period: period ? { start: payment.kind === 'change' ? now : period.start, end: period.end } : null,
    paidAt: now,
    tax: JSON.parse(payment.tax) as ChargedTax,
  })
}

/** The description on the payment page and on the invoice. */
function textOf({ catalog }: Pick<Platform, 'catalog'>, { kind, plan, created_at }: PaymentRow): string {
  const name = catalog.get(plan)?.name ?? plan
  if (kind === 'card') return 'Another card'
  if (kind === 'change')
    return `Upgrade to the plan ${name} on ${isoTime(created_at).slice(0, 10)}, rest of the period`
  return `Plan ${name}, 1 month`
}
