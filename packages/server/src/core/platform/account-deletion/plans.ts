// The paid plans of an account that is deleted: they are cancelled, and what is owed must be paid first.
import { Fault } from '../../../lib/fault.ts'
import { paymentsOf } from '../../../store/billing/payments.ts'
import { findSubscription } from '../../../store/billing/subscriptions.ts'
import type { Tx } from '../../../store/store.ts'
import type { Platform } from '../../base/platform.ts'
import { billingPath } from '../../billing/owners.ts'
import { moveOn } from '../../billing/subscriptions.ts'

/** `tx` has locked the owners. Throws if a payment is under way or overdue. */
export async function endPlans(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  owners: readonly string[],
): Promise<void> {
  for (const owner of owners) {
    const subscription = await findSubscription(tx, owner)
    const page = `${await billingPath(tx, owner)} in the dashboard`
    if ((await paymentsOf(tx, owner, 'charging')).length > 0)
      throw new Fault('payment_pending', `A payment is under way (${page}). Try again in a few minutes.`)
    if (subscription?.state === 'past_due')
      throw new Fault(
        'payment_pending',
        `The last payment failed. Pay it, or cancel the plan, first: ${page}`,
      )
    if (subscription?.state === 'active') await moveOn(platform, tx, owner, { kind: 'cancelled' })
  }
}
