// The state machine of a subscription as a table: state × event → next state and effects. It is pure: it uses no database,
// no payment provider and no clock. The caller passes the time of the event.
import type { ErrorCode } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { periodAt } from './periods.ts'

export type State = 'none' | 'active' | 'cancelling' | 'past_due' | 'lapsed'

/** The data of a subscription. The state `none` has no terms. */
export interface Terms {
  state: Exclude<State, 'none'>
  plan: string
  /** The smaller plan that follows at the end of the period. */
  next_plan: string | null
  /** When the plan was bought. Periods are counted from here. */
  anchor: number
  period: number
  /** How often the charge for the current renewal was declined. */
  failures: number
  /** When the next time-driven event is due: the end of the period, or the next charge. `null` once it lapsed. */
  due_at: number | null
}

export type Event =
  | { kind: 'bought'; plan: string; at: number }
  | { kind: 'renewed'; plan: string; period: number }
  | { kind: 'declined'; at: number }
  | { kind: 'upgraded'; plan: string; period: number }
  | { kind: 'downgraded'; plan: string | null }
  | { kind: 'cancelled' }
  | { kind: 'resumed' }
  | { kind: 'due'; at: number }

export type Effect =
  /** Charge for this period. */
  | { do: 'charge'; plan: string; period: number }
  /** Refund a payment that came too late or twice. */
  | { do: 'refund' }
  | { do: 'mail'; mail: 'payment-failed' | 'lapsed' | 'ended' }

interface Outcome {
  terms: Terms | undefined
  effects: Effect[]
}

/** The event is not valid in this state. Nothing changes. */
export class Refused extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

type Of<K extends Event['kind']> = Extract<Event, { kind: K }>
type Step<T, K extends Event['kind']> = (terms: T, event: Of<K>) => Outcome
type Row<T> = { [K in Event['kind']]: Step<T, K> }

/** The pauses between charges of a declined renewal: it is charged again after 1, 3 and 7 days. */
const waits = [dayMs, 2 * dayMs, 4 * dayMs]

const stay = (terms: Terms | undefined): Outcome => ({ terms, effects: [] })
const refund = (terms: Terms | undefined): Outcome => ({ terms, effects: [{ do: 'refund' }] })
const refuse = (code: ErrorCode, message: string) => (): never => {
  throw new Refused(code, message)
}
const noPlan = refuse('no_subscription', 'There is no paid plan. Buy one first.')

const buy = (_terms: unknown, { plan, at }: Of<'bought'>): Outcome =>
  stay(active({ plan, next_plan: null, anchor: at, period: 0 }))

const active = (terms: Pick<Terms, 'plan' | 'next_plan' | 'anchor' | 'period'>): Terms => ({
  ...terms,
  state: 'active',
  failures: 0,
  due_at: periodAt(terms.anchor, terms.period).end,
})

const lapse = (terms: Terms, mail: 'lapsed' | 'ended'): Outcome => ({
  terms: { ...terms, state: 'lapsed', next_plan: null, due_at: null },
  effects: [{ do: 'mail', mail }],
})

/** The period to charge for: the next one, or the current one if svcd did not run for months. Missed months are free. */
function nextPeriod({ anchor, period }: Terms, now: number): number {
  let next = period + 1
  while (periodAt(anchor, next).end <= now) next++
  return next
}

const charge = (terms: Terms, { at }: Of<'due'>): Outcome => ({
  terms,
  effects: [{ do: 'charge', plan: terms.next_plan ?? terms.plan, period: nextPeriod(terms, at) }],
})

/** A renewal was paid. `state` is the state after it. A second payment for the same period is refunded. */
const renew =
  (state: 'active' | 'cancelling') =>
  (terms: Terms, { plan, period }: Of<'renewed'>): Outcome =>
    period <= terms.period
      ? refund(terms)
      : stay({ ...active({ ...terms, plan, period, next_plan: null }), state })

const upgrade = (terms: Terms, { plan, period }: Of<'upgraded'>): Outcome =>
  period === terms.period ? stay({ ...terms, plan, next_plan: null }) : refund(terms)

const fail = (terms: Terms, { at }: Of<'declined'>): Outcome => {
  const wait = waits[terms.failures]
  if (wait === undefined) return lapse(terms, 'lapsed')
  return {
    terms: { ...terms, state: 'past_due', failures: terms.failures + 1, due_at: at + wait },
    effects: [{ do: 'mail', mail: 'payment-failed' }],
  }
}

/** The customer paid an overdue renewal on the payment page. The new period follows the last one without a gap. */
const settle = (terms: Terms, { plan, at }: Of<'bought'>): Outcome =>
  renew('active')(terms, { kind: 'renewed', plan, period: nextPeriod(terms, at) })

const overdue = refuse(
  'payment_pending',
  'The last payment failed. Pay it first: open the payment page with checkout.',
)

export const transitions: { none: Row<undefined> } & Record<Terms['state'], Row<Terms>> = {
  none: {
    bought: buy,
    renewed: refund,
    declined: stay,
    upgraded: refund,
    downgraded: noPlan,
    cancelled: noPlan,
    resumed: noPlan,
    due: stay,
  },
  active: {
    bought: refund,
    renewed: renew('active'),
    declined: fail,
    upgraded: upgrade,
    downgraded: (terms, { plan }) => stay({ ...terms, next_plan: plan }),
    cancelled: terms => stay({ ...terms, state: 'cancelling', next_plan: null }),
    resumed: stay,
    due: charge,
  },
  cancelling: {
    bought: refund,
    renewed: renew('cancelling'),
    declined: terms => lapse(terms, 'ended'),
    upgraded: upgrade,
    downgraded: refuse('no_subscription', 'The plan is cancelled and ends with its period. Resume it first.'),
    cancelled: stay,
    resumed: terms => stay({ ...terms, state: 'active' }),
    due: terms => lapse(terms, 'ended'),
  },
  past_due: {
    bought: settle,
    renewed: renew('active'),
    declined: fail,
    upgraded: refund,
    downgraded: overdue,
    // The paid period is over, so the plan ends at once.
    cancelled: terms => lapse(terms, 'ended'),
    resumed: overdue,
    due: charge,
  },
  lapsed: {
    bought: buy,
    // The customer cancelled during the charge. The plan ends after the period that was just paid.
    renewed: renew('cancelling'),
    declined: stay,
    upgraded: refund,
    downgraded: noPlan,
    cancelled: noPlan,
    resumed: noPlan,
    due: stay,
  },
}

/** Throws Refused. */
export function apply(terms: Terms | undefined, event: Event): Outcome {
  const row = transitions[terms?.state ?? 'none'] as Row<Terms | undefined>
  return (row[event.kind] as Step<Terms | undefined, Event['kind']>)(terms, event)
}
