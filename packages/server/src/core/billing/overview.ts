// The billing page of an account or an org in one answer.
import type { Billing, Plan as ShownPlan, Subscription } from '@svc/contract'
import { findSubscription } from '../../store/billing/subscriptions.ts'
import type { SubscriptionRow } from '../../store/tables.ts'
import { allowanceKeys, type Plan } from '../base/catalog.ts'
import { allowancesOf, planOf } from '../base/plans.ts'
import type { PlanSettings, Platform, Rows } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { requirePayments } from './enabled.ts'
import { listInvoices } from './invoices/list.ts'
import { billingProfileOf } from './profile.ts'
import { ownerOf, usageOf } from './usage.ts'

export async function billingOverview(
  platform: Rows & PlanSettings & Pick<Platform, 'payments'>,
  ownerId: string,
): Promise<Billing> {
  const payments = requirePayments(platform)
  const { db } = platform.store
  const subscription = await findSubscription(db, ownerId)
  return {
    provider: payments.name,
    // The limits that the operator set for this owner replace those of the plan.
    plan: describePlan({
      ...(await planOf(platform, db, ownerId)),
      ...(await allowancesOf(platform, db, ownerId)),
    }),
    ...(await usageOf(platform, ownerOf(ownerId))),
    catalog: [...platform.catalog.values()].map(describePlan),
    subscription: subscription ? describeSubscription(subscription) : null,
    profile: await billingProfileOf(db, ownerId),
    invoices: await listInvoices(db, ownerId),
  }
}

/** JSON has no infinity, so `null` stands for no limit. */
function describePlan(plan: Plan): ShownPlan {
  const amounts = Object.entries(allowanceKeys).map(([key, name]) => [
    key,
    Number.isFinite(plan[name]) ? plan[name] : null,
  ])
  const { id, name, priceCents: price_cents } = plan
  return { id, name, price_cents, ...Object.fromEntries(amounts) } as ShownPlan
}

function describeSubscription(row: SubscriptionRow): Subscription {
  const renews = row.state === 'active' || row.state === 'past_due'
  return {
    plan: row.plan,
    status: row.state,
    period_start: isoTime(row.period_start),
    period_end: isoTime(row.period_end),
    renews_at: renews ? isoTime(row.period_end) : null,
    cancel_at_period_end: row.state === 'cancelling',
    next_plan: row.next_plan,
    retry_at: row.state === 'past_due' ? isoTimeOrNull(row.due_at) : null,
  }
}
