// Paid plans and the payments for them. The owner is an account or an org.
import type { LimitName } from '@svc/contract'

export interface SubscriptionRow {
  owner_id: string
  plan: string
  /** The smaller plan that follows at the end of the period. */
  next_plan: string | null
  state: 'active' | 'cancelling' | 'past_due' | 'lapsed'
  /** When it was bought: periods are counted from here. */
  anchor: number
  period: number
  period_start: number
  period_end: number
  failures: number
  /** When time moves it on; null once it lapsed. */
  due_at: number | null
}

/** A limit that the operator set for this owner. */
export interface OwnerLimitRow {
  owner_id: string
  name: LimitName
  /** Null: no limit. */
  amount: number | null
}

export interface PaymentRow {
  id: string
  owner_id: string
  /** `card` takes no money: the customer names another card. */
  kind: 'checkout' | 'renewal' | 'change' | 'card'
  /** `open`: the customer is on the payment page. `charging`: the provider was asked, or is about to be. */
  status: 'open' | 'charging' | 'paid' | 'failed' | 'expired' | 'refunding' | 'refunded'
  plan: string
  /** The period that is paid for. Null for a checkout: its period begins when it is paid. */
  period: number | null
  net_cents: number
  total_cents: number
  /** The VAT that it was charged with, as JSON. */
  tax: string
  /** SHA-256 of the secret in the address of the sandbox's page, hex. */
  session_hash: string | null
  /** What the provider calls it. */
  provider_ref: string | null
  created_at: number
  /** When the worker looks after it; null once nothing is left to do. */
  due_at: number | null
  settled_at: number | null
  error: string | null
}

/** The owner as the payment provider knows it, and the card that is charged. */
export interface BillingCustomerRow {
  owner_id: string
  customer_ref: string | null
  method_ref: string | null
}

/** An event of the payment provider that was dealt with. */
export interface PaymentEventRow {
  id: string
  type: string
  received_at: number
}

/** An email that is sent once. */
export interface BillingMailRow {
  id: string
  owner_id: string
  kind: string
  /** Two emails never have the same. */
  once: string
  /** JSON object. */
  details: string
  created_at: number
}

/** What deleted projects of an owner used on one day. */
export interface DeletedUsageRow {
  owner_id: string
  /** The start of the day, UTC. */
  day: number
  bytes: number
  build_ms: number
}
