// Time-driven steps of billing: renewals, retries, ends of cancelled plans, and unfinished payments. Several nodes may run
// this at the same time. Each step is made by only one of them.
import { dayMs } from '@svc/contract/durations'
import { deleteOldMails } from '../../store/billing/mails.ts'
import {
  claimPayment,
  deleteOldEvents,
  deleteUnpaidPages,
  duePayments,
  movePayment,
  paymentsOf,
} from '../../store/billing/payments.ts'
import { dueSubscriptions, findSubscription } from '../../store/billing/subscriptions.ts'
import type { PaymentRow } from '../../store/tables.ts'
import type { BillingParts } from '../base/platform.ts'
import { requirePayments } from './enabled.ts'
import { lockOwner } from './owners.ts'
import { askAgainMs, charge, notePayment, orderOf, settle } from './payments.ts'
import { moveOn } from './subscriptions.ts'

const atOnce = 50
/** How long records of failed and abandoned payments are kept. */
const keptMs = 90 * dayMs

/** Calls `onError` for each step that failed. The next call tries it again. */
export async function advanceBilling(
  platform: BillingParts,
  onError: (error: unknown) => void,
): Promise<void> {
  if (!platform.payments) return
  const { db } = platform.store
  const now = platform.clock.now()
  for (const payment of await duePayments(db, now, atOnce)) await recover(platform, payment).catch(onError)
  for (const ownerId of await dueSubscriptions(db, now, atOnce))
    await advance(platform, ownerId).catch(onError)
  await deleteOldEvents(db, now - keptMs)
  await deleteOldMails(db, now - keptMs)
  await deleteUnpaidPages(db, now - keptMs)
}

async function advance(platform: BillingParts, ownerId: string): Promise<void> {
  const payment = await platform.store.transact(async tx => {
    if (!(await lockOwner(tx, ownerId))) return undefined
    const now = platform.clock.now()
    const subscription = await findSubscription(tx, ownerId)
    if (subscription?.due_at == null || subscription.due_at > now) return undefined
    // Another node has made this step already.
    if ((await paymentsOf(tx, ownerId, 'charging')).length > 0) return undefined
    if (!platform.catalog.has(subscription.next_plan ?? subscription.plan))
      // The operator has removed the plan from the catalog, so there is no price for a renewal.
      await moveOn(platform, tx, ownerId, { kind: 'cancelled' })
    const { effects } = await moveOn(platform, tx, ownerId, { kind: 'due', at: now })
    const renewal = effects.find(effect => effect.do === 'charge')
    if (!renewal) return undefined
    return await notePayment(platform, tx, {
      owner_id: ownerId,
      kind: 'renewal',
      status: 'charging',
      plan: renewal.plan,
      period: renewal.period,
      net_cents: platform.catalog.get(renewal.plan)!.priceCents,
      due_at: now + askAgainMs,
    })
  })
  if (payment) await charge(platform, payment)
}

/** Finishes a payment that a crash interrupted, or whose payment page the customer left. */
async function recover(platform: BillingParts, payment: PaymentRow): Promise<void> {
  const { db } = platform.store
  const now = platform.clock.now()
  if (!(await claimPayment(db, payment, now + askAgainMs))) return
  const payments = requirePayments(platform)
  if (payment.status === 'charging') await charge(platform, payment)
  if (payment.status === 'refunding') {
    await payments.refund(orderOf(platform, payment))
    await movePayment(db, payment.id, ['refunding'], { status: 'refunded', due_at: null })
  }
  if (payment.status !== 'open') return
  const result = await payments.lookUp(orderOf(platform, payment))
  const isOver = payment.created_at + payments.pageMs <= now
  await settle(platform, payment.id, result.status === 'open' && isOver ? { status: 'expired' } : result)
}
