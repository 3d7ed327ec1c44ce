// Applies an event to the row of a subscription, and queues its effects in the same transaction.
import { Fault } from '../../lib/fault.ts'
import { findSubscription, saveSubscription } from '../../store/billing/subscriptions.ts'
import type { Tx } from '../../store/store.ts'
import type { SubscriptionRow } from '../../store/tables.ts'
import type { Platform } from '../base/platform.ts'
import { queueMail } from './mails.ts'
import { periodAt } from './periods.ts'
import { apply, type Effect, type Event, Refused, type Terms } from './states.ts'

interface Moved {
  before: SubscriptionRow | undefined
  after: SubscriptionRow | undefined
  effects: Effect[]
}

/** Applies the event to the owner's subscription. `tx` must have locked the owner. */
export async function moveOn(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  ownerId: string,
  event: Event,
): Promise<Moved> {
  const before = await findSubscription(tx, ownerId)
  const { terms, effects } = applied(before, event)
  const after = terms && rowOf(ownerId, terms)
  if (after && terms !== before) await saveSubscription(tx, after)
  for (const effect of effects)
    if (effect.do === 'mail' && after) await queueMail(platform, tx, subscriptionMail(after, effect.mail))
  return { before, after, effects }
}

/** Called before an action of the customer, because a cancelled plan may have ended since the worker last checked. */
export async function endIfCancelled(
  platform: Pick<Platform, 'clock'>,
  tx: Tx,
  ownerId: string,
): Promise<SubscriptionRow | undefined> {
  const row = await findSubscription(tx, ownerId)
  const now = platform.clock.now()
  if (row?.state !== 'cancelling' || row.period_end > now) return row
  return (await moveOn(platform, tx, ownerId, { kind: 'due', at: now })).after
}

function applied(before: SubscriptionRow | undefined, event: Event) {
  try {
    return apply(before, event)
  } catch (error) {
    if (error instanceof Refused) throw new Fault(error.code, error.message)
    throw error
  }
}

function rowOf(ownerId: string, terms: Terms): SubscriptionRow {
  const { state, plan, next_plan, anchor, period, failures, due_at } = terms
  const { start: period_start, end: period_end } = periodAt(anchor, period)
  return {
    owner_id: ownerId,
    state,
    plan,
    next_plan,
    anchor,
    period,
    period_start,
    period_end,
    failures,
    due_at,
  }
}

const subscriptionMail = (row: SubscriptionRow, kind: 'payment-failed' | 'lapsed' | 'ended') => ({
  ownerId: row.owner_id,
  kind,
  once: `${kind} ${row.owner_id} ${row.anchor} ${row.period} ${row.failures}`,
  details: { plan: row.plan, retry_at: row.due_at ?? 0 },
})
