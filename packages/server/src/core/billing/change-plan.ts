// Changes of a paid plan. An upgrade takes effect at once, and the difference for the rest of the period is charged. A
// downgrade takes effect at the end of the period, so nothing is paid back.
import type { PlanChange } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import type { Tx } from '../../store/store.ts'
import type { SubscriptionRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { BillingParts, Platform, Rows } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { type BilledOwner, paidPlan, requireNoCharge, requireOwner } from './checkout.ts'
import { requirePayments } from './enabled.ts'
import { askAgainMs, charge, notePayment } from './payments.ts'
import { periodAt, prorated } from './periods.ts'
import { taxOf } from './profile.ts'
import { endIfCancelled, moveOn } from './subscriptions.ts'
import { amountsOf } from './vat/tax.ts'

/** Returns what the change would cost. Changes nothing. */
export async function previewChange(
  platform: Rows & Pick<Platform, 'catalog' | 'payments'>,
  owner: BilledOwner,
  planId: string,
): Promise<PlanChange> {
  requirePayments(platform)
  return await platform.store.transact(async tx => {
    await requireOwner(tx, owner)
    const subscription = await requireChangeable(platform, tx, owner)
    const plan = planId === 'free' ? platform.catalog.get('free')! : paidPlan(platform, planId)
    const tax = await taxOf(tx, owner.id)
    const net = upgradeCents(platform, subscription, plan.id)
    const ends = plan.id === 'free' || subscription.state === 'cancelling'
    return {
      plan: plan.id,
      takes_effect: net === undefined ? 'at_period_end' : 'now',
      ...amountsOf(chargeable(platform, net ?? 0, tax), tax),
      renews_at: ends ? null : isoTime(subscription.period_end),
      renewal_cents: ends ? 0 : amountsOf(plan.priceCents, tax).total_cents,
    }
  })
}

export async function changePlan(
  platform: BillingParts,
  caller: Caller,
  owner: BilledOwner,
  planId: string,
): Promise<void> {
  requirePayments(platform)
  if (planId === 'free') return await cancel(platform, caller, owner)
  const plan = paidPlan(platform, planId)
  const payment = await platform.store.transact(async tx => {
    await requireOwner(tx, owner)
    const subscription = await requireChangeable(platform, tx, owner)
    await note(platform, tx, caller, owner, 'billing.change-plan', plan.id)
    const net = upgradeCents(platform, subscription, plan.id)
    if (net === undefined) {
      const next = plan.id === subscription.plan ? null : plan.id
      await moveOn(platform, tx, owner.id, { kind: 'downgraded', plan: next })
      return undefined
    }
    const { period } = subscription
    const tax = await taxOf(tx, owner.id)
    if (chargeable(platform, net, tax) === 0) {
      await moveOn(platform, tx, owner.id, { kind: 'upgraded', plan: plan.id, period })
      return undefined
    }
    const due_at = platform.clock.now() + askAgainMs
    const change = {
      kind: 'change',
      status: 'charging',
      plan: plan.id,
      period,
      net_cents: net,
      due_at,
    } as const
    return await notePayment(platform, tx, { owner_id: owner.id, ...change })
  })
  const result = payment && (await charge(platform, payment))
  if (result?.status === 'declined')
    throw new Fault(
      'payment_failed',
      `The payment was declined, and the plan stays as it is: ${result.reason}`,
    )
}

export async function cancel(
  platform: Rows & Pick<Platform, 'payments'>,
  caller: Caller,
  owner: BilledOwner,
): Promise<void> {
  await changeState(platform, caller, owner, 'cancelled', 'billing.cancel')
}

export async function resume(
  platform: Rows & Pick<Platform, 'payments'>,
  caller: Caller,
  owner: BilledOwner,
): Promise<void> {
  await changeState(platform, caller, owner, 'resumed', 'billing.resume')
}

async function changeState(
  platform: Rows & Pick<Platform, 'payments'>,
  caller: Caller,
  owner: BilledOwner,
  kind: 'cancelled' | 'resumed',
  action: 'billing.cancel' | 'billing.resume',
): Promise<void> {
  requirePayments(platform)
  await platform.store.transact(async tx => {
    await requireOwner(tx, owner)
    await endIfCancelled(platform, tx, owner.id)
    const { before, after } = await moveOn(platform, tx, owner.id, { kind })
    if (after?.state !== before?.state) await note(platform, tx, caller, owner, action, after?.plan)
  })
}

const note = async (
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  caller: Caller,
  owner: BilledOwner,
  action: 'billing.change-plan' | 'billing.cancel' | 'billing.resume',
  target: string | undefined,
): Promise<void> => {
  if (owner.org) await audit(platform, tx, caller, { action, orgId: owner.org.id, target })
}

async function requireChangeable(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  owner: BilledOwner,
): Promise<SubscriptionRow> {
  const subscription = await endIfCancelled(platform, tx, owner.id)
  if (!subscription || subscription.state === 'lapsed')
    throw new Fault('no_subscription', 'There is no paid plan to change. Buy one with checkout.')
  if (subscription.state === 'past_due')
    throw new Fault(
      'payment_pending',
      'The last payment failed. Pay it first: open the payment page with checkout.',
    )
  if (subscription.period_end <= platform.clock.now())
    throw new Fault('payment_pending', 'The plan is being renewed. Try again in a few minutes.')
  await requireNoCharge(tx, owner.id)
  return subscription
}

/** The price without VAT. `undefined` if the new plan costs no more, so that nothing is charged. */
function upgradeCents(
  { catalog, clock }: Pick<Platform, 'catalog' | 'clock'>,
  { plan, anchor, period }: SubscriptionRow,
  wanted: string,
): number | undefined {
  const more = (catalog.get(wanted)?.priceCents ?? 0) - (catalog.get(plan)?.priceCents ?? 0)
  return more > 0 ? prorated(more, clock.now(), periodAt(anchor, period)) : undefined
}

/** 0 if the amount is below the minimum of the payment provider. */
const chargeable = (
  platform: Pick<Platform, 'payments'>,
  net: number,
  tax: { rate_percent: number },
): number => (amountsOf(net, tax).total_cents < requirePayments(platform).minimumCents ? 0 : net)
