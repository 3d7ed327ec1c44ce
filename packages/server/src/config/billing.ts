// Settings of billing: the payment provider, the plans, and the seller whom invoices name.
import type { Secret } from '../lib/secret.ts'
import { choice, SettingError, type Source, secret, text, url } from './values.ts'

export interface BillingSettings {
  billing: 'off' | 'sandbox' | 'stripe'
  stripeSecretKey: Secret | undefined
  stripeWebhookSecret: Secret | undefined
  /** Where Stripe's API is; another address in tests. */
  stripeApiUrl: string | undefined
  /** An operator's own plans; undefined: the built-in ones. */
  plansFile: string | undefined
  /** Whom invoices name as the seller; parts of the address have commas between them. */
  sellerName: string
  sellerAddress: string
  sellerVatNumber: string | undefined
  sellerEmail: string | undefined
  /** The REST API of VIES, the EU's registry of VAT numbers. */
  viesUrl: string
}

type Seller = Pick<
  BillingSettings,
  'sellerName' | 'sellerAddress' | 'sellerVatNumber' | 'sellerEmail' | 'viesUrl'
>

/** Without a payment provider nobody can pay, so a real domain has no plans. On localhost the sandbox shows them. */
export function billingSettings(source: Source, local: boolean): BillingSettings {
  const stripeSecretKey = secret(source, 'SVCD_STRIPE_SECRET_KEY')
  const stripeWebhookSecret = secret(source, 'SVCD_STRIPE_WEBHOOK_SECRET')
  const usual = stripeSecretKey ? 'stripe' : local ? 'sandbox' : 'off'
  const billing = choice(source, 'SVCD_BILLING', usual, ['off', 'sandbox', 'stripe'])
  if (billing === 'stripe' && !stripeSecretKey)
    throw new SettingError('SVCD_STRIPE_SECRET_KEY', 'is missing: SVCD_BILLING=stripe needs it')
  if (billing === 'stripe' && !stripeWebhookSecret)
    throw new SettingError(
      'SVCD_STRIPE_WEBHOOK_SECRET',
      'is missing: Stripe shows it for the webhook endpoint <API address>/hooks/stripe',
    )
  return {
    billing,
    stripeSecretKey,
    stripeWebhookSecret,
    stripeApiUrl: url(source, 'SVCD_STRIPE_API_URL', ['https:', 'http:'])?.reveal(),
    plansFile: text(source, 'SVCD_PLANS_FILE', '') || undefined,
    ...sellerSettings(source, billing),
  }
}

const viesUrl = 'https://ec.europa.eu/taxation_customs/vies/rest-api'

/** Where real money is paid, invoices must name a seller. */
function sellerSettings(source: Source, billing: BillingSettings['billing']): Seller {
  const vatNumber = text(source, 'SVCD_SELLER_VAT_NUMBER', '').replace(/[\s.]/g, '').toUpperCase()
  if (vatNumber && !/^NL\d{9}B\d{2}$/.test(vatNumber))
    throw new SettingError('SVCD_SELLER_VAT_NUMBER', 'must be a Dutch VAT number such as NL123456789B01')
  if (billing === 'stripe')
    for (const name of ['SVCD_SELLER_NAME', 'SVCD_SELLER_ADDRESS', 'SVCD_SELLER_VAT_NUMBER'])
      if (!text(source, name, ''))
        throw new SettingError(name, 'is missing: with SVCD_BILLING=stripe, invoices must name the seller')
  return {
    sellerName: text(source, 'SVCD_SELLER_NAME', 'svc sandbox'),
    sellerAddress: text(source, 'SVCD_SELLER_ADDRESS', ''),
    sellerVatNumber: vatNumber || undefined,
    sellerEmail: text(source, 'SVCD_SELLER_EMAIL', '') || undefined,
    viesUrl: (url(source, 'SVCD_VIES_URL', ['https:', 'http:'])?.reveal() ?? viesUrl).replace(/\/$/, ''),
  }
}
