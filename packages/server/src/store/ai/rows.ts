// What the AI gateway counts. Nothing here holds a word of a prompt or an answer.

/** Requests of one token for one model on one day. */
export interface AiUsageRow {
  /** The account or org that the token belongs to. */
  owner_id: string
  /** The start of the day, UTC. */
  day: number
  model: string
  token_id: string
  requests: number
  /** Of these, answers whose tokens the provider did not count. */
  uncounted: number
  /** Of these, requests for a model without a price. */
  unpriced: number
  prompt_tokens: number
  /** Of the prompt tokens, those that the provider had in its cache. */
  cached_tokens: number
  completion_tokens: number
  /** In micro-cents. */
  cost: number
}

/** A request that is under way. */
export interface AiReservationRow {
  id: string
  owner_id: string
  /** What it may cost, in micro-cents. */
  cost: number
  /** The request has ended by then, also if its node was lost. */
  expires_at: number
}

/** The sum of an owner's costs in one month, so that the credit is checked by reading one row. */
export interface AiMonthRow {
  owner_id: string
  /** The start of the month, UTC. */
  month: number
  /** In micro-cents. */
  cost: number
}
