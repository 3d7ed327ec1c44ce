// Plans, usage, payments and invoices.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

const cents = z.number().int().describe('EUR cents')
const amount = z.number().int().nullable().describe('null: no limit')
export const plan = z.object({
  id: z.string(),
  name: z.string(),
  price_cents: cents.describe('EUR cents a month, without VAT'),
  projects: amount,
  domains: amount,
  orgs: amount.describe('Orgs that the account may own; null: no limit'),
  ready_apps: amount.describe('Server apps that are never stopped; null: no limit'),
  running_apps: amount,
  stored_bytes: amount,
  form_bytes: amount,
  bandwidth_bytes: amount.describe('A month; null: no limit'),
  build_minutes: amount.describe('A month; null: no limit'),
  ai_credit_cents: cents.nullable().describe('EUR cents a month; null: no limit'),
  tokens: amount,
  shares: amount,
  mails_per_day: amount,
})

/** The current usage. Amounts per month count from the first of the calendar month (UTC). */
export const planUsage = z.object({
  projects: z.number().int(),
  domains: z.number().int(),
  orgs: z.number().int(),
  ready_apps: z.number().int().describe('Server apps that could be kept ready'),
  running_apps: z.number().int(),
  stored_bytes: z.number().int(),
  form_bytes: z.number().int(),
  bandwidth_bytes: z.number().int(),
  build_minutes: z.number().int().describe('Rounded up'),
  ai_credit_cents: cents,
})

/** `past_due`: a renewal could not be charged and is tried again. `lapsed`: the plan ended, the free one counts. */
export const subscriptionStatus = z.enum(['active', 'cancelling', 'past_due', 'lapsed'])

export const subscription = z.object({
  plan: z.string(),
  status: subscriptionStatus,
  period_start: timestamp,
  period_end: timestamp,
  renews_at: timestamp.nullable().describe('null if it is not renewed'),
  cancel_at_period_end: z.boolean(),
  next_plan: z.string().nullable().describe('The smaller plan that starts at the end of the period'),
  retry_at: timestamp.nullable().describe('When a failed renewal is charged again'),
})

/** What a change of plan costs now, and from then on. */
export const planChange = z.object({
  plan: z.string(),
  takes_effect: z.enum(['now', 'at_period_end']),
  net_cents: cents,
  vat_cents: cents,
  total_cents: cents.describe('EUR cents charged now'),
  renews_at: timestamp.nullable(),
  renewal_cents: cents.describe('EUR cents charged at each renewal, VAT included'),
})

export const invoice = z.object({
  id: id('ivc'),
  number: z.string(),
  kind: z.enum(['invoice', 'credit_note']).describe('The amounts of a credit note are negative'),
  credits: z.string().nullable().describe('Of a credit note: the number of the invoice that it credits'),
  created_at: timestamp,
  net_cents: cents,
  total_cents: cents,
  vat_cents: cents,
  has_document: z.boolean(),
})

export const tax = z.object({
  rate_percent: z.number().int(),
  kind: z.enum(['domestic', 'reverse_charge', 'outside_eu']),
})

export const billingProfile = z.object({
  name: z.string().nullable(),
  address: z.string().nullable(),
  country: z.string().nullable(),
  vat_number: z.string().nullable(),
  email: z.string().nullable(),
  tax: tax.describe('The VAT of the next invoice'),
})

export const billing = z.object({
  provider: z.enum(['sandbox', 'stripe']),
  plan,
  usage: planUsage,
  bandwidth_by_day: z.array(z.object({ day: z.string(), bytes: z.number().int() })),
  catalog: z.array(plan),
  subscription: subscription.nullable(),
  profile: billingProfile,
  invoices: z.array(invoice),
})

export type Plan = z.infer<typeof plan>
export type PlanUsage = z.infer<typeof planUsage>
export type Subscription = z.infer<typeof subscription>
export type PlanChange = z.infer<typeof planChange>
export type Billing = z.infer<typeof billing>
export type Invoice = z.infer<typeof invoice>
export type BillingProfile = z.infer<typeof billingProfile>
export type Tax = z.infer<typeof tax>
