// Payments with Stripe: Checkout for purchases, and later charges of the saved card without the customer. Every write has an
// idempotency key made from the order's id, so that a call repeated after a crash does not charge twice.
import { hourMs } from '@svc/contract/durations'
import Stripe from 'stripe'
import type { Secret } from '../../../lib/secret.ts'
import { type Order, type PaymentEvent, PaymentRefused, type PaymentResult, type Payments } from '../port.ts'

interface StripeSettings {
  secretKey: Secret
  webhookSecret: Secret
  /** `undefined` is the URL of Stripe itself. */
  apiUrl: string | undefined
}

/** Older events are refused, so that an attacker cannot replay one. */
const toleranceSeconds = 300

export function stripePayments({ secretKey, webhookSecret, apiUrl }: StripeSettings): Payments {
  const stripe = new Stripe(secretKey.reveal(), {
    timeout: 20_000,
    maxNetworkRetries: 2,
    telemetry: false,
    ...(apiUrl && addressOf(new URL(apiUrl))),
  })

  return tellingRefusals({
    name: 'stripe',
    minimumCents: 50,
    pageMs: hourMs,

    async check() {
      await stripe.customers.list({ limit: 1 })
    },

    async openPage(order, customer, back) {
      const known = customer.ref && (await findCustomer(stripe, customer.ref))
      const ref = known ? known.id : await newCustomer(stripe, order, customer.email)
      const metadata = { payment_id: order.id }
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          customer: ref,
          client_reference_id: order.id,
          metadata,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: 'eur',
                unit_amount: order.totalCents,
                product_data: { name: order.text },
              },
            },
          ],
          payment_intent_data: { setup_future_usage: 'off_session', metadata, description: order.text },
          success_url: back.paid,
          cancel_url: back.cancelled,
          expires_at: Math.ceil((order.createdAt + hourMs) / 1000),
        },
        { idempotencyKey: `${order.id}-page` },
      )
      if (!session.url) throw new Error('Stripe made a payment page without an address')
      return { url: session.url, ref: session.id, sessionHash: null, customer: ref }
    },

    async closePage({ id, ref }) {
      if (ref) await stripe.checkout.sessions.expire(ref, {}, { idempotencyKey: `${id}-close` })
    },

    async lookUp({ ref }) {
      if (ref === null) return { status: 'open' }
      if (ref.startsWith('pi_')) return resultOf(await stripe.paymentIntents.retrieve(ref))
      const session = await stripe.checkout.sessions.retrieve(ref, { expand: ['payment_intent'] })
      if (session.payment_status === 'paid' && session.payment_intent instanceof Object)
        return resultOf(session.payment_intent)
      return { status: session.status === 'expired' ? 'expired' : 'open' }
    },

    async charge(order, customer) {
      const known = customer.ref && (await findCustomer(stripe, customer.ref))
      if (!known) return { status: 'declined', reason: 'There is no card.' }
      const made = await findIntent(stripe, order, known.id)
      if (made) return resultOf(made)
      // Prefer the card that the customer chose in the portal.
      const method = idOf(known.invoice_settings?.default_payment_method ?? null) ?? customer.method
      if (!method) return { status: 'declined', reason: 'There is no card.' }
      return await stripe.paymentIntents
        .create(
          {
            amount: order.totalCents,
            currency: 'eur',
            customer: known.id,
            payment_method: method,
            off_session: true,
            confirm: true,
            description: order.text,
            metadata: { payment_id: order.id },
          },
          { idempotencyKey: `${order.id}-charge` },
        )
        .then(resultOf, error => declined(stripe, order, error))
    },

    async refund({ id, ref }) {
      if (!ref) return
      await stripe.refunds
        .create({ payment_intent: ref }, { idempotencyKey: `${id}-refund` })
        .catch((error: unknown) => {
          if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'charge_already_refunded')
            throw error
        })
    },

    async portal(customer, back) {
      const session = await stripe.billingPortal.sessions.create({
        customer: customer.ref ?? '',
        return_url: back,
      })
      return session.url
    },

    readEvent(body, signature) {
      try {
        return describeEvent(
          stripe.webhooks.constructEvent(body, signature ?? '', webhookSecret.reveal(), toleranceSeconds),
        )
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError)
          return undefined
        throw error
      }
    },
  })
}

/** The methods whose callers tell a refusal from a provider that does not answer. */
function tellingRefusals(payments: Payments): Payments {
  const telling =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      method(...args).catch(error => {
        throw refusalOf(error) ?? error
      })
  return {
    ...payments,
    openPage: telling(payments.openPage),
    charge: telling(payments.charge),
    refund: telling(payments.refund),
    ...(payments.portal && { portal: telling(payments.portal) }),
  }
}

const { StripeInvalidRequestError, StripeAuthenticationError, StripePermissionError } = Stripe.errors

/** `undefined` if Stripe did not answer, or is in trouble itself. */
function refusalOf(error: unknown): PaymentRefused | undefined {
  const isRefusal = [StripeInvalidRequestError, StripeAuthenticationError, StripePermissionError].some(
    kind => error instanceof kind,
  )
  return isRefusal ? new PaymentRefused(wordsOf(error as Stripe.errors.StripeError)) : undefined
}

/** The request id finds the call in Stripe's own log. */
const wordsOf = ({ message, statusCode, code, requestId }: Stripe.errors.StripeError): string =>
  `Stripe refuses the call: ${[statusCode, code, requestId].filter(Boolean).join(', ')}: ${message}`

const addressOf = ({ protocol, hostname, port }: URL) => ({
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  host: hostname,
  port: port || (protocol === 'http:' ? '80' : '443'),
})

async function newCustomer(stripe: Stripe, order: Order, email: string | undefined): Promise<string> {
  const { id } = await stripe.customers.create(
    { ...(email && { email }), metadata: { owner_id: order.ownerId } },
    { idempotencyKey: `${order.id}-customer` },
  )
  return id
}

/** `undefined` if the customer was deleted at Stripe. */
async function findCustomer(stripe: Stripe, ref: string): Promise<Stripe.Customer | undefined> {
  try {
    const customer = await stripe.customers.retrieve(ref)
    return customer.deleted ? undefined : customer
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return undefined
    throw error
  }
}

/** Finds an earlier charge by the order's id, since Stripe keeps idempotency keys for one day only. */
async function findIntent(stripe: Stripe, order: Order, customer: string) {
  const since = Math.floor(order.createdAt / 1000) - 60
  const { data } = await stripe.paymentIntents.list({ customer, created: { gte: since }, limit: 100 })
  return data.find(({ metadata }) => metadata.payment_id === order.id)
}

function resultOf(intent: Stripe.PaymentIntent): PaymentResult {
  const { id, status, customer, payment_method: method, last_payment_error: problem } = intent
  if (status === 'succeeded')
    return { status: 'paid', ref: id, customer: idOf(customer), method: idOf(method) }
  if (status === 'processing') return { status: 'open' }
  return { status: 'declined', ref: id, reason: problem?.message ?? 'The card was declined.' }
}

const idOf = (thing: string | { id: string } | null): string | undefined =>
  typeof thing === 'string' ? thing : thing?.id

const refusedByProvider =
  'The payment provider refuses the charge. This is not about the card, and nothing was charged. The operator of the platform finds the reason in its log.'

/**
 * Turns the error of a charge into `declined`. Cancels a payment that the card declined, so that it cannot succeed later. A
 * card that Stripe no longer knows counts as declined too. Other errors are rethrown: they do not tell if the money was taken.
 */
async function declined(stripe: Stripe, order: Order, error: unknown): Promise<PaymentResult> {
  if (error instanceof StripeInvalidRequestError)
    return error.code === 'resource_missing'
      ? { status: 'declined', reason: 'The card cannot be charged any more.' }
      : { status: 'declined', reason: refusedByProvider, refusal: wordsOf(error) }
  if (!(error instanceof Stripe.errors.StripeCardError)) throw error
  const ref = error.payment_intent?.id
  if (ref) await stripe.paymentIntents.cancel(ref, {}, { idempotencyKey: `${order.id}-cancel` })
  return { status: 'declined', ref, reason: error.message }
}

interface EventObject {
  metadata?: { payment_id?: string } | null
  payment_intent?: string | { id: string } | null
  amount_refunded?: number
}

function describeEvent(event: Stripe.Event): PaymentEvent {
  const object = event.data.object as EventObject
  const ref = idOf(object.payment_intent ?? null)
  return {
    id: event.id,
    type: event.type,
    paymentId: object.metadata?.payment_id,
    ...(event.type === 'charge.refunded' && ref && { refunded: { ref, cents: object.amount_refunded ?? 0 } }),
  }
}
