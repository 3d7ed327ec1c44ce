// A stand-in for Stripe's API on loopback, strict where Stripe is and stricter: it knows few calls and few parameters, and
// refuses whatever else it is sent.
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Params = Record<string, string>
// biome-ignore lint/suspicious/noExplicitAny: objects of Stripe's API, as JSON
type Thing = Record<string, any>

interface StandInRoute {
  /** The names, or the beginnings of names, of the allowed parameters. */
  params: readonly string[]
  answer(params: Params, id: string): Thing
}

class Refused extends Error {
  readonly status: number
  readonly body: Thing
  constructor(status: number, error: Thing) {
    super(String(error.message))
    this.status = status
    this.body = { error }
  }
}

const invalid = (message: string, more: Thing = {}) =>
  new Refused(400, { type: 'invalid_request_error', message, ...more })
const declineMessage = 'Your card was declined.'

export class StripeServer {
  readonly secretKey = `sk_test_${randomBytes(12).toString('hex')}`
  readonly webhookSecret = `whsec_${randomBytes(12).toString('hex')}`
  readonly customers = new Map<string, Thing>()
  readonly sessions = new Map<string, Thing>()
  readonly intents = new Map<string, Thing>()
  readonly refunds: Thing[] = []
  /** Calls that were refused because of their parameters. */
  readonly complaints: string[] = []
  /** What happens when the card is charged. */
  card: 'pays' | 'declines' | 'gone' = 'pays'
  /** Why Stripe refuses purchases and charges, if it does: something is wrong with the account of the operator. */
  refusal: string | undefined
  /** How many answers to charges are lost before they reach the platform. */
  lostAnswers = 0
  readonly #answered = new Map<string, { asked: string; status: number; body: Thing }>()
  readonly #server: Server
  #count = 0

  private constructor() {
    this.#server = createServer((req, res) => void this.#serve(req, res))
  }

  static async start(): Promise<StripeServer> {
    const stripe = new StripeServer()
    await new Promise<void>(resolve => stripe.#server.listen(0, '127.0.0.1', resolve))
    return stripe
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get environment(): Record<string, string> {
    return {
      SVCD_STRIPE_SECRET_KEY: this.secretKey,
      SVCD_STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      SVCD_STRIPE_API_URL: this.url,
      SVCD_SELLER_NAME: 'Acme Hosting B.V.',
      SVCD_SELLER_ADDRESS: 'Herengracht 1, 1015 BA Amsterdam',
      SVCD_SELLER_VAT_NUMBER: 'NL123456789B01',
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** Pays on the payment page, as a customer does. Returns the event that Stripe then sends. */
  pay(sessionId: string): Thing {
    const session = this.sessions.get(sessionId)!
    if (session.status !== 'open') throw new Error(`the payment page is ${session.status}`)
    const intent = this.#newIntent({
      amount: session.amount_total,
      customer: session.customer,
      payment_method: `pm_${++this.#count}`,
      metadata: session.payment_intent_metadata,
      status: 'succeeded',
    })
    Object.assign(session, { status: 'complete', payment_status: 'paid', payment_intent: intent.id })
    return this.event('checkout.session.completed', session)
  }

  event(type: string, object: Thing): Thing {
    return { id: `evt_${++this.#count}`, object: 'event', type, api_version: 'x', data: { object } }
  }

  /** The signature header of an event, as Stripe makes it. */
  signature(body: string, { secret = this.webhookSecret, at = Date.now() } = {}): string {
    const seconds = Math.floor(at / 1000)
    return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
  }

  readonly #routes: Record<string, StandInRoute> = {
    'POST /v1/customers': {
      params: ['email', 'metadata[owner_id]'],
      answer: ({ email }) => {
        const customer = { id: `cus_${++this.#count}`, object: 'customer', email, invoice_settings: {} }
        this.customers.set(customer.id, customer)
        return customer
      },
    },
    'GET /v1/customers': { params: ['limit'], answer: () => ({ object: 'list', has_more: false, data: [] }) },
    'GET /v1/customers/:id': { params: [], answer: (_, id) => found(this.customers, id) },
    'POST /v1/checkout/sessions': {
      params: [
        ...['mode', 'customer', 'client_reference_id', 'metadata[payment_id]', 'success_url', 'cancel_url'],
        ...['expires_at', 'line_items[0][quantity]', 'line_items[0][price_data][currency]'],
        ...['line_items[0][price_data][unit_amount]', 'line_items[0][price_data][product_data][name]'],
        ...['payment_intent_data[setup_future_usage]', 'payment_intent_data[metadata][payment_id]'],
        'payment_intent_data[description]',
      ],
      answer: params => this.#newSession(params),
    },
    'GET /v1/checkout/sessions/:id': {
      params: ['expand[0]'],
      answer: (params, id) => {
        const session = found(this.sessions, id)
        return params['expand[0]'] === 'payment_intent' && session.payment_intent
          ? { ...session, payment_intent: this.intents.get(session.payment_intent) }
          : session
      },
    },
    'POST /v1/checkout/sessions/:id/expire': {
      params: [],
      answer: (_, id) => {
        const session = found(this.sessions, id)
        if (session.status !== 'open') throw invalid('Only open Checkout Sessions can be expired.')
        return Object.assign(session, { status: 'expired' })
      },
    },
    'GET /v1/payment_intents': {
      params: ['customer', 'created[gte]', 'limit'],
      answer: ({ customer }) => ({
        object: 'list',
        has_more: false,
        data: [...this.intents.values()].filter(intent => intent.customer === customer),
      }),
    },
    'GET /v1/payment_intents/:id': { params: [], answer: (_, id) => found(this.intents, id) },
    'POST /v1/payment_intents': {
      params: [
        ...['amount', 'currency', 'customer', 'payment_method', 'off_session', 'confirm', 'description'],
        'metadata[payment_id]',
      ],
      answer: params => this.#charge(params),
    },
    'POST /v1/payment_intents/:id/cancel': {
      params: [],
      answer: (_, id) => Object.assign(found(this.intents, id), { status: 'canceled' }),
    },
    'POST /v1/refunds': {
      params: ['payment_intent'],
      answer: ({ payment_intent }) => {
        const intent = found(this.intents, payment_intent ?? '')
        if (intent.refunded)
          throw invalid('Charge has already been refunded.', { code: 'charge_already_refunded' })
        intent.refunded = true
        const refund = { id: `re_${++this.#count}`, object: 'refund', payment_intent, amount: intent.amount }
        this.refunds.push(refund)
        return refund
      },
    },
    'POST /v1/billing_portal/sessions': {
      params: ['customer', 'return_url'],
      answer: ({ customer }) => {
        found(this.customers, customer ?? '')
        return { id: `bps_${++this.#count}`, url: `https://billing.stripe.test/${customer}` }
      },
    },
  }

  #newSession(params: Params): Thing {
    this.#checkAccount()
    const amount = amountOf(params['line_items[0][price_data][unit_amount]'])
    if (params.mode !== 'payment' || params['line_items[0][price_data][currency]'] !== 'eur')
      throw invalid('only payments in euros')
    found(this.customers, params.customer ?? '')
    for (const name of ['success_url', 'cancel_url'])
      if (!URL.canParse(params[name] ?? '')) throw invalid(name)
    const id = `cs_test_${++this.#count}`
    const session = {
      ...{ id, object: 'checkout.session', status: 'open', payment_status: 'unpaid', payment_intent: null },
      ...{ url: `https://checkout.stripe.test/${id}`, customer: params.customer, amount_total: amount },
      metadata: { payment_id: params['metadata[payment_id]'] },
      payment_intent_metadata: { payment_id: params['payment_intent_data[metadata][payment_id]'] },
    }
    this.sessions.set(id, session)
    return session
  }

  #checkAccount(): void {
    if (this.refusal !== undefined) throw invalid(this.refusal, { code: 'account_invalid' })
  }

  #charge(params: Params): Thing {
    this.#checkAccount()
    const { customer, payment_method, currency, off_session, confirm } = params
    if (
      currency !== 'eur' ||
      off_session !== 'true' ||
      confirm !== 'true' ||
      !payment_method?.startsWith('pm_')
    )
      throw invalid('this charge is not an off-session one in euros')
    found(this.customers, customer ?? '')
    if (this.card === 'gone')
      throw invalid(`No such PaymentMethod: '${payment_method}'`, { code: 'resource_missing' })
    const declines = this.card === 'declines'
    const intent = this.#newIntent({
      ...{ amount: amountOf(params.amount), customer, payment_method },
      metadata: { payment_id: params['metadata[payment_id]'] },
      status: declines ? 'requires_payment_method' : 'succeeded',
      ...(declines && { last_payment_error: { message: declineMessage } }),
    })
    if (declines)
      throw new Refused(402, {
        ...{ type: 'card_error', code: 'card_declined', message: declineMessage, payment_intent: intent },
      })
    return intent
  }

  #newIntent(intent: Thing): Thing {
    const made = { id: `pi_${++this.#count}`, object: 'payment_intent', last_payment_error: null, ...intent }
    this.intents.set(made.id, made)
    return made
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const key = String(req.headers['idempotency-key'] ?? '')
    const asked = `${req.method} ${req.url} ${body}`
    const before = this.#answered.get(key)
    const answer = before && req.method === 'POST' ? this.#again(before, asked) : this.#answer(req, body)
    if (answer.status === 400 && answer.body.error?.code === undefined)
      this.complaints.push(`${req.method} ${req.url}: ${answer.body.error?.message}`)
    if (req.method === 'POST') this.#answered.set(key, { asked, ...answer })
    if (this.lostAnswers > 0 && req.url === '/v1/payment_intents' && req.method === 'POST') {
      this.lostAnswers--
      res.destroy()
      return
    }
    res.writeHead(answer.status, { 'content-type': 'application/json', 'stripe-should-retry': 'false' })
    res.end(JSON.stringify(answer.body))
  }

  #again(before: { asked: string; status: number; body: Thing }, asked: string) {
    if (before.asked === asked) return before
    const message = 'Keys for idempotent requests can only be used with the same parameters.'
    return { status: 400, body: { error: { type: 'idempotency_error', message } } }
  }

  #answer(req: IncomingMessage, body: string): { status: number; body: Thing } {
    try {
      this.#checkHead(req)
      const url = new URL(req.url ?? '/', 'http://stripe')
      const params = Object.fromEntries(new URLSearchParams(req.method === 'POST' ? body : url.search))
      const id = /\/((?:cus|cs|pi)_\w+)/.exec(url.pathname)?.[1] ?? ''
      const route = this.#routes[`${req.method} ${id ? url.pathname.replace(id, ':id') : url.pathname}`]
      if (!route) throw invalid(`Unrecognized request URL (${req.method}: ${url.pathname})`)
      for (const name of Object.keys(params))
        if (!route.params.includes(name)) throw invalid(`Received unknown parameter: ${name}`)
      return { status: 200, body: route.answer(params, id) }
    } catch (error) {
      if (error instanceof Refused) return { status: error.status, body: error.body }
      throw error
    }
  }

  #checkHead({ method, headers }: IncomingMessage): void {
    if (headers.authorization !== `Bearer ${this.secretKey}`)
      throw new Refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' })
    if (!/^\d{4}-\d\d-\d\d\.\w+$/.test(String(headers['stripe-version'] ?? '')))
      throw invalid('no Stripe-Version')
    if (method !== 'POST') return
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') throw invalid('the body is no form')
    if (!headers['idempotency-key']) throw invalid('no Idempotency-Key')
  }
}

function found(things: Map<string, Thing>, id: string): Thing {
  const thing = things.get(id)
  if (!thing)
    throw new Refused(404, {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such: ${id}`,
    })
  return thing
}

function amountOf(text: string | undefined): number {
  if (!/^\d+$/.test(text ?? '') || Number(text) < 50) throw invalid('Amount must be at least €0.50 eur')
  return Number(text)
}
