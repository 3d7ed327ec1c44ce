// Events of the payment provider. An event is a hint: how a payment stands is asked of the provider, so that events may come
// late, twice or in any order.
import { Fault } from '../../lib/fault.ts'
import { findPayment, insertEvent } from '../../store/billing/payments.ts'
import type { Platform } from '../platform.ts'
import { requirePayments } from './enabled.ts'
import { orderOf, settle } from './payments.ts'

export async function takeEvent(
  platform: Platform,
  body: Buffer,
  signature: string | undefined,
): Promise<void> {
  const payments = requirePayments(platform)
  const event = payments.readEvent(body, signature)
  if (!event) throw new Fault('unauthorized', 'The signature of the event is missing, wrong or too old.')
  const payment = event.paymentId && (await findPayment(platform.store.db, event.paymentId))
  // A charge that is under way is settled by the one who made it, or by the worker after a crash.
  if (payment && payment.kind !== 'renewal' && payment.kind !== 'change')
    await settle(platform, payment.id, await payments.lookUp(orderOf(platform, payment)))
  const { id, type } = event
  await platform.store.transact(tx => insertEvent(tx, { id, type, received_at: platform.clock.now() }))
}
