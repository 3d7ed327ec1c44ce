import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addMonths, periodAt, prorated } from './periods.ts'
import { apply, type Event, Refused, type State, type Terms, transitions } from './states.ts'

const day = 86_400_000
const prices: Record<string, number> = { pro: 2_000, business: 9_900 }

type Action =
  | { do: 'buy'; plan: 'pro' | 'business' }
  | { do: 'change'; plan: 'pro' | 'business' }
  | { do: 'cancel' }
  | { do: 'resume' }
  | { do: 'crash' }
  | { do: 'wait'; hours: number }
  | { do: 'card'; works: boolean }

/** A payment that was asked for and has not ended yet. */
interface Charge {
  event: Extract<Event, { kind: 'renewed' | 'upgraded' }>
  cents: number
}

/** An owner as the rest of billing treats it: one charge at a time, time moved on in steps, money written down. */
class Owner {
  terms: Terms | undefined
  now: number
  cardWorks = true
  underWay: Charge | undefined
  /** The provider was asked, and svcd crashed before it heard the answer. */
  crashes = false
  kept: { cents: number; key: string; kind: string }[] = []
  refunded = 0
  charged = 0
  readonly seen: Set<string>

  constructor(start: number, seen: Set<string>) {
    this.now = start
    this.seen = seen
  }

  get state(): State {
    return this.terms?.state ?? 'none'
  }

  take(event: Event, cents = 0): void {
    const before = this.state
    const { terms, effects } = apply(this.terms, event)
    this.terms = terms
    this.seen.add(`${before} → ${this.state}`)
    if (cents > 0) {
      this.charged += cents
      if (effects.some(effect => effect.do === 'refund')) this.refunded += cents
      else this.kept.push({ cents, kind: event.kind, key: `${terms?.anchor} ${terms?.period}` })
    }
    for (const effect of effects)
      if (effect.do === 'charge') {
        const { plan, period } = effect
        this.ask({ event: { kind: 'renewed', plan, period }, cents: prices[plan]! })
      }
  }

  ask(charge: Charge): void {
    expect(charge.cents).toBeGreaterThan(0)
    expect(this.underWay).toBeUndefined()
    this.underWay = charge
    if (!this.crashes) this.finish()
  }

  finish(): void {
    const { underWay } = this
    this.underWay = undefined
    if (!underWay) return
    if (this.cardWorks) this.take(underWay.event, underWay.cents)
    else if (underWay.event.kind === 'renewed') this.take({ kind: 'declined', at: this.now })
  }

  /** What the worker does until nothing is due. */
  catchUp(): void {
    this.crashes = false
    this.finish()
    for (let steps = 0; this.terms?.due_at != null && this.terms.due_at <= this.now; steps++) {
      expect(steps).toBeLessThan(10)
      this.take({ kind: 'due', at: this.now })
    }
  }

  act(action: Action): void {
    if (action.do === 'wait') {
      this.now += action.hours * 3_600_000
      this.catchUp()
    } else if (action.do === 'card') this.cardWorks = action.works
    else if (action.do === 'crash') this.crashes = true
    else if (action.do === 'cancel') this.take({ kind: 'cancelled' })
    else if (action.do === 'resume') this.take({ kind: 'resumed' })
    else if (action.do === 'buy')
      this.take({ kind: 'bought', plan: action.plan, at: this.now }, prices[action.plan])
    else this.change(action.plan)
  }

  change(plan: string): void {
    if (this.underWay || !this.terms || !['active', 'cancelling'].includes(this.state)) return
    const more = prices[plan]! - prices[this.terms.plan]!
    const { anchor, period } = this.terms
    const cents = more > 0 ? prorated(more, this.now, periodAt(anchor, period)) : 0
    if (more <= 0) this.take({ kind: 'downgraded', plan: more === 0 ? null : plan })
    else if (cents === 0) this.take({ kind: 'upgraded', plan, period })
    else this.ask({ event: { kind: 'upgraded', plan, period }, cents })
  }
}

const plan = fc.constantFrom('pro' as const, 'business' as const)
const actions = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 900 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.oneof(
        fc.record({ do: fc.constant('buy' as const), plan }),
        fc.record({ do: fc.constant('change' as const), plan }),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Action>({ do: 'cancel' }, { do: 'resume' }, { do: 'crash' }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('card' as const), works: fc.boolean() }) },
  ),
  { maxLength: 40 },
)
/** Passes through every state, so that the check of the states seen does not depend on chance. */
const wholeLife: Action[] = [
  { do: 'buy', plan: 'pro' },
  { do: 'card', works: false },
  { do: 'wait', hours: 31 * 24 },
  ...Array.from({ length: 3 }, () => ({ do: 'wait' as const, hours: 5 * 24 })),
  { do: 'buy', plan: 'pro' },
  { do: 'cancel' },
  { do: 'wait', hours: 31 * 24 },
]
const starts = fc.integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2029, 0, 1) })

describe('the life of a subscription', () => {
  it('never charges a period twice nor less than nothing, whatever people do and when', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(starts, actions, (start, list) => {
        const owner = new Owner(start, seen)
        for (const action of list) {
          try {
            owner.act(action)
          } catch (error) {
            if (!(error instanceof Refused)) throw error
          }
          check(owner)
        }
      }),
      { numRuns: 1_000, examples: [[Date.UTC(2026, 0, 1), wholeLife]] },
    )
    for (const state of Object.keys(transitions)) {
      const others = [...seen].filter(step => step !== `${state} → ${state}`)
      if (state !== 'none') expect(others.some(step => step.endsWith(`→ ${state}`))).toBe(true)
      expect(others.some(step => step.startsWith(`${state} →`))).toBe(true)
    }
  })

  function check({ terms, now, kept, charged, refunded, underWay, state }: Owner): void {
    const whole = kept.filter(({ kind }) => kind !== 'upgraded').map(({ key }) => key)
    expect(new Set(whole).size).toBe(whole.length)
    expect(kept.reduce((sum, { cents }) => sum + cents, 0)).toBe(charged - refunded)
    if (!terms) return
    // A plan that counts was paid for: for the period it is in, or it is in the week of retries.
    expect(whole).toContain(`${terms.anchor} ${terms.period}`)
    const { end } = periodAt(terms.anchor, terms.period)
    if (state === 'lapsed') expect(terms.due_at).toBeNull()
    else if (!underWay && (state === 'active' || state === 'cancelling')) expect(terms.due_at).toBe(end)
    if (state === 'past_due')
      expect([terms.failures >= 1, terms.failures <= 3, end <= now]).toEqual([true, true, true])
  }

  it('knows every event in every state', () => {
    const kinds = Object.keys(transitions.none).toSorted()
    for (const row of Object.values(transitions)) expect(Object.keys(row).toSorted()).toEqual(kinds)
  })
})

describe('periods', () => {
  const at = (text: string) => Date.parse(`${text}T10:00:00.000Z`)
  it.each([
    ['2026-01-31', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['2028-01-31', ['2028-02-29', '2028-03-31', '2028-04-30']],
    ['2028-02-29', ['2028-03-29', '2028-04-29']],
    ['2026-12-30', ['2027-01-30', '2027-02-28', '2027-03-30']],
    ['2026-03-15', ['2026-04-15', '2026-05-15']],
  ])('from %s on end on the same day of the month, or its last', (start, ends) => {
    expect(ends.map((_, i) => addMonths(at(start), i + 1))).toEqual(ends.map(at))
  })

  it('follow each other without a gap, for years', () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 0, max: 120 }), (anchor, index) => {
        const { start, end } = periodAt(anchor, index)
        expect(periodAt(anchor, index + 1).start).toBe(end)
        expect((end - start) / day).toBeGreaterThanOrEqual(28)
        expect((end - start) / day).toBeLessThanOrEqual(31)
      }),
    )
  })

  it('are prorated to the cent: parts add up to the whole, and none is negative', () => {
    fc.assert(
      fc.property(
        starts,
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.double({ min: -0.5, max: 1.5, noNaN: true }),
        (anchor, cents, share) => {
          const period = periodAt(anchor, 0)
          const now = Math.round(period.start + share * (period.end - period.start))
          const left = prorated(cents, now, period)
          const used = prorated(cents, period.end - (now - period.start), period)
          expect(left).toBeGreaterThanOrEqual(0)
          expect(left).toBeLessThanOrEqual(cents)
          expect(Math.abs(left + used - cents)).toBeLessThanOrEqual(1)
        },
      ),
    )
    const period = { start: 0, end: 31 * day }
    expect([0, 15.5, 31].map(days => prorated(7_900, days * day, period))).toEqual([7_900, 3_950, 0])
    expect(prorated(100_000_00, 1, { start: 0, end: 31 * day })).toBe(100_000_00)
  })
})
