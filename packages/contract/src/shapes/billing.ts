// What is used and paid for.
import { z } from 'zod'
import { id, timestamp } from './basics.ts'

const tokenCounts = {
  requests: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
}

export const aiUsage = z.object({
  usage: z.array(z.object({ model: z.string(), ...tokenCounts })),
  totals: z.object(tokenCounts),
})

const cents = z.number().int().describe('EUR cents')
export const plan = z.object({
  id: z.string(),
  name: z.string(),
  price_cents: cents,
  projects: z.number().int().nullable(),
  domains: z.number().int().nullable(),
  ready_apps: z.number().int().nullable(),
  bandwidth_bytes: z.number().int().nullable(),
  ai_credit_cents: cents.nullable(),
  orgs: z.number().int().nullable(),
})

export const invoice = z.object({
  id: id('ivc'),
  number: z.string(),
  created_at: timestamp,
  total_cents: cents,
  vat_cents: cents,
  has_document: z.boolean(),
})

export const billingProfile = z.object({
  name: z.string().nullable(),
  country: z.string().nullable(),
  vat_number: z.string().nullable(),
  email: z.string().nullable(),
})

export const billing = z.object({
  plan,
  usage: z.record(z.string(), z.number()),
  catalog: z.array(plan),
  subscription: z
    .object({ plan: z.string(), renews_at: timestamp.nullable(), cancel_at_period_end: z.boolean() })
    .nullable(),
  profile: billingProfile,
  invoices: z.array(invoice),
})
