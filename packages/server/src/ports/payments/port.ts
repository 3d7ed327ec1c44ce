// Payments: a page where the customer pays and saves a card, and later charges of that card.

/** Something to pay. svcd makes the id. Two calls with the same id never charge the customer twice. */
export interface Order {
  id: string
  ownerId: string
  /** The text for the customer, such as `Pro, 1 month`. */
  text: string
  totalCents: number
  /** The provider's id of the payment, if it is known. */
  ref: string | null
  createdAt: number
}

/** The owner of projects as a customer of the provider. */
export interface Customer {
  ref: string | null
  /** The provider's id of the saved card. */
  method: string | null
  email: string | undefined
}

export type PaymentResult =
  | { status: 'paid'; ref?: string | undefined; customer?: string | undefined; method?: string | undefined }
  /** `refusal` says to the operator why the provider refuses the charge, if it is not for the card. */
  | { status: 'declined'; reason: string; ref?: string | undefined; refusal?: string | undefined }
  | { status: 'expired' }
  /** The customer has not decided yet. */
  | { status: 'open' }

export interface Page {
  url: string
  ref: string | null
  /** SHA-256 of the secret in the URL of the page, if the page is svcd's own. */
  sessionHash: string | null
  customer?: string | undefined
}

/** An event of the provider. `paymentId` is `undefined` if the event does not concern a payment of this platform. */
export interface PaymentEvent {
  id: string
  type: string
  paymentId: string | undefined
  /** The provider's id of a refunded payment, and the total of its refunds. */
  refunded?: { ref: string; cents: number } | undefined
}

/** The provider answered, and refuses the call. Nothing was charged. The message is for the operator. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused'
}

/**
 * Every method throws if the provider does not answer. Then the result is unknown, and the caller repeats the same call. It throws
 * a `PaymentRefused` if the provider refuses the call.
 */
export interface Payments {
  readonly name: 'sandbox' | 'stripe'
  /** The smallest amount that can be charged. */
  readonly minimumCents: number
  /** How long a payment page can be used. */
  readonly pageMs: number
  /** Throws if the provider refuses the API key. */
  check(): Promise<void>
  openPage(order: Order, customer: Customer, back: { paid: string; cancelled: string }): Promise<Page>
  /** Closes the page, so that the customer cannot pay on it any more. */
  closePage(order: Order): Promise<void>
  /** The state of the payment on a page. */
  lookUp(order: Order): Promise<PaymentResult>
  charge(order: Order, customer: Customer): Promise<PaymentResult>
  refund(order: Order): Promise<void>
  /** Returns the URL where the customer changes the card. Without this method, an order of 0 cents on svcd's own page does. */
  portal?(customer: Customer, back: string): Promise<string>
  /** Checks the signature of a webhook. `undefined` if it is wrong. */
  readEvent(body: Buffer, signature: string | undefined): PaymentEvent | undefined
}
