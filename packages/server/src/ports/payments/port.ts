// Payments: a page where the customer pays and leaves a card, and charges of that card later on.

/** What is to be paid. The id is ours; asking twice with the same id never takes the money twice. */
export interface Order {
  id: string
  ownerId: string
  /** As the customer reads it, such as `Pro, 1 month`. */
  text: string
  totalCents: number
  /** What the provider called it, if it said so before. */
  ref: string | null
  createdAt: number
}

/** The owner as the provider knows it. */
export interface Customer {
  ref: string | null
  /** The card. */
  method: string | null
  email: string | undefined
}

export type PaymentResult =
  | { status: 'paid'; ref?: string | undefined; customer?: string | undefined; method?: string | undefined }
  | { status: 'declined'; reason: string; ref?: string | undefined }
  | { status: 'expired' }
  /** The customer has not decided yet. */
  | { status: 'open' }

export interface Page {
  url: string
  ref: string | null
  /** SHA-256 of the secret in the address of a page of our own. */
  sessionHash: string | null
  customer?: string | undefined
}

/** What an event of the provider is about. `undefined` if it concerns none of our payments. */
export interface PaymentEvent {
  id: string
  type: string
  paymentId: string | undefined
  /** The provider's name of a payment of which money went back, and how much in all. */
  refunded?: { ref: string; cents: number } | undefined
}

/** Every method throws if the provider does not answer: then nobody knows, and the same call is made again. */
export interface Payments {
  readonly name: 'sandbox' | 'stripe'
  /** Less than this is not charged. */
  readonly minimumCents: number
  /** How long a payment page can be used. */
  readonly pageMs: number
  /** Throws if the provider refuses our key. */
  check(): Promise<void>
  openPage(order: Order, customer: Customer, back: { paid: string; cancelled: string }): Promise<Page>
  /** The page cannot be paid on any more. */
  closePage(order: Order): Promise<void>
  /** How the payment on a page stands. */
  lookUp(order: Order): Promise<PaymentResult>
  charge(order: Order, customer: Customer): Promise<PaymentResult>
  refund(order: Order): Promise<void>
  /** Where the customer changes the card. `undefined`: on a page of our own for an order of nothing. */
  portal?(customer: Customer, back: string): Promise<string>
  /** Checks the signature of a webhook. `undefined` if it is wrong. */
  readEvent(body: Buffer, signature: string | undefined): PaymentEvent | undefined
}
