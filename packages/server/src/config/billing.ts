// Settings of billing: the payment provider, the plans, and the seller whom invoices name.
import * as kind from './kinds.ts'
import { computed, isLocal, SettingError, type SettingsOf, setting, unset } from './setting.ts'

const vatNumber = kind.matching(
  'a Dutch VAT number',
  /^NL\d{9}B\d{2}$/,
  'must be a Dutch VAT number such as NL123456789B01',
)

const sandboxSeller = 'svc sandbox'

export const billingSettings = {
  stripeSecretKey: setting(
    'SVCD_STRIPE_SECRET_KEY',
    kind.secret,
    unset(),
    'see [payments with Stripe](billing.md#stripe)',
  ),
  stripeWebhookSecret: setting(
    'SVCD_STRIPE_WEBHOOK_SECRET',
    kind.secret,
    unset(),
    'the signing secret of the webhook endpoint at Stripe',
  ),
  stripeApiUrl: setting(
    'SVCD_STRIPE_API_URL',
    kind.webUrl,
    unset("Stripe's own"),
    "another URL of Stripe's API, for tests",
  ),
  // Without a payment provider nobody can pay, so a real domain has no plans. On localhost the sandbox shows them.
  billing: setting(
    'SVCD_BILLING',
    kind.choice('off', 'sandbox', 'stripe'),
    computed('`stripe` with a Stripe key, else `sandbox` on localhost and `off` on a real domain', earlier =>
      earlier.stripeSecretKey ? 'stripe' : isLocal(earlier) ? 'sandbox' : 'off',
    ),
    'who takes payments for [plans](billing.md); `off`: no plans and none of their limits',
  ),
  plansFile: setting(
    'SVCD_PLANS_FILE',
    kind.file,
    unset('the built-in plans'),
    '[your own plans](billing.md#plans-of-your-own)',
  ),
  sellerName: setting(
    'SVCD_SELLER_NAME',
    kind.text,
    sandboxSeller,
    'who sells, as [invoices](invoices.md#for-operators) say; required with `SVCD_BILLING=stripe`',
  ),
  sellerAddress: setting(
    'SVCD_SELLER_ADDRESS',
    kind.text,
    computed('none', () => ''),
    "the seller's address, with commas between its parts; required with `SVCD_BILLING=stripe`",
  ),
  sellerVatNumber: setting(
    'SVCD_SELLER_VAT_NUMBER',
    { ...vatNumber, parse: value => vatNumber.parse(value.replace(/[\s.]/g, '').toUpperCase()) },
    unset(),
    "the seller's VAT number; required with `SVCD_BILLING=stripe`",
  ),
  sellerEmail: setting('SVCD_SELLER_EMAIL', kind.text, unset(), 'where customers can ask about invoices'),
  viesUrl: setting(
    'SVCD_VIES_URL',
    kind.baseUrl,
    computed("the European Commission's", () => 'https://ec.europa.eu/taxation_customs/vies/rest-api'),
    "the REST API of VIES, the EU's registry of VAT numbers",
  ),
}

/** Stripe needs its keys; and where real money is paid, invoices must name a seller. */
export function checkBilling(settings: SettingsOf<typeof billingSettings>): void {
  if (settings.billing !== 'stripe') return
  const onInvoices = 'with SVCD_BILLING=stripe, invoices must name the seller'
  const needed: [variable: string, isSet: boolean, why: string][] = [
    ['SVCD_STRIPE_SECRET_KEY', settings.stripeSecretKey !== undefined, 'SVCD_BILLING=stripe needs it'],
    [
      'SVCD_STRIPE_WEBHOOK_SECRET',
      settings.stripeWebhookSecret !== undefined,
      'Stripe shows it for the webhook endpoint <API URL>/hooks/stripe',
    ],
    ['SVCD_SELLER_NAME', settings.sellerName !== sandboxSeller, onInvoices],
    ['SVCD_SELLER_ADDRESS', settings.sellerAddress !== '', onInvoices],
    ['SVCD_SELLER_VAT_NUMBER', settings.sellerVatNumber !== undefined, onInvoices],
  ]
  for (const [variable, isSet, why] of needed)
    if (!isSet) throw new SettingError(variable, `is missing: ${why}`)
}
