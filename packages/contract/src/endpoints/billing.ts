// Plans, payments and invoices of accounts and of orgs.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import * as s from '../shapes.ts'

const planBody = z.object({ plan: z.string().max(50) })
const planQuery = z.object({ plan: z.string().max(50) })
const profileBody = z.object({
  name: z.string().max(200).nullish(),
  address: z.string().max(500).nullish().describe('Street, postcode and city; up to 6 lines'),
  country: z.string().max(2).nullish().describe("ISO 3166; without it, the VAT number's"),
  vat_number: z.string().max(30).nullish(),
  email: z
    .union([s.email, z.literal('')])
    .nullish()
    .describe('Invoices go there; empty: to the owner'),
})
const profileNote =
  'Replaces all details: a field that is missing, null or empty is cleared. A new VAT number is checked with the EU VAT registry (VIES).'
const checkout = z.object({ checkout_url: z.string() })
const portal = z.object({ portal_url: z.string() })
const checkoutErrors = [
  'invalid_request',
  'subscription_active',
  'payment_pending',
  'payment_unavailable',
] as const
const changeErrors = [
  'invalid_request',
  'no_subscription',
  'payment_pending',
  'payment_failed',
  'payment_unavailable',
] as const
const pdf = z.object({ url: z.string().describe('A signed URL that is valid for 10 minutes') })
const profileErrors = ['vat_number_not_found', 'vat_registry_unavailable', 'invalid_request'] as const
const pdfNote = 'Credit notes have one too.'

export const billingEndpoints = {
  'GET /billing': {
    summary: 'Plan, usage, catalog, subscription, profile, invoices',
    access: 'user',
    rateLimits: [],
    answer: s.billing,
  },
  'PUT /billing/profile': {
    summary: 'Invoice details',
    access: 'user',
    rateLimits: ['writes', 'vatNumbers'],
    audit: [],
    body: profileBody,
    answer: s.billingProfile,
    errors: profileErrors,
    note: profileNote,
  },
  'POST /billing/checkout': {
    summary: 'Start paying for a plan',
    access: 'user',
    rateLimits: ['writes', 'paymentPages'],
    audit: [],
    body: planBody,
    answer: checkout,
    errors: checkoutErrors,
    note: 'Open `checkout_url` in a browser. While a renewal is past due, paying here settles it.',
  },
  'GET /billing/change-plan': {
    summary: 'What a change of plan would cost',
    access: 'user',
    rateLimits: [],
    query: planQuery,
    answer: s.planChange,
    errors: changeErrors,
  },
  'POST /billing/change-plan': {
    summary: 'Change the plan; a larger one applies at once, prorated',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    body: planBody,
    answer: s.ok,
    errors: changeErrors,
    note: 'A smaller plan starts at the end of the period, without a charge. `free` cancels.',
  },
  'POST /billing/cancel': {
    summary: 'Cancel at period end',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['no_subscription'],
  },
  'POST /billing/resume': {
    summary: 'Undo a cancellation',
    access: 'user',
    rateLimits: ['writes'],
    audit: [],
    answer: s.ok,
    errors: ['no_subscription'],
  },
  'POST /billing/portal': {
    summary: 'URL of the page of the payment provider to change the card',
    access: 'user',
    rateLimits: ['writes', 'paymentPages'],
    audit: [],
    answer: portal,
    errors: ['no_subscription', 'payment_unavailable'],
  },
  'GET /billing/invoices/:id/pdf': {
    summary: 'URL of the invoice PDF',
    access: 'user',
    rateLimits: [],
    answer: pdf,
    errors: ['not_found'],
    note: pdfNote,
  },
  'GET /invoices/:token': {
    summary: 'The PDF of an invoice, by the signed URL that the endpoints above answer',
    access: 'none',
    rateLimits: [],
    answer: 'application/pdf',
    errors: ['not_found'],
  },

  'GET /orgs/:name/billing': {
    summary: "The org's billing",
    access: 'user',
    role: 'admin',
    rateLimits: [],
    answer: s.billing,
  },
  'PUT /orgs/:name/billing/profile': {
    summary: "The org's invoice details",
    access: 'user',
    role: 'owner',
    rateLimits: ['writes', 'vatNumbers'],
    audit: ['billing.profile'],
    body: profileBody,
    answer: s.billingProfile,
    errors: profileErrors,
    note: profileNote,
  },
  'POST /orgs/:name/billing/checkout': {
    summary: 'Start paying for a plan',
    access: 'user',
    role: 'owner',
    rateLimits: ['writes', 'paymentPages'],
    audit: ['billing.checkout'],
    body: planBody,
    answer: checkout,
    errors: checkoutErrors,
    note: 'Open `checkout_url` in a browser. While a renewal is past due, paying here settles it.',
  },
  'GET /orgs/:name/billing/change-plan': {
    summary: 'What a change of plan would cost',
    access: 'user',
    role: 'owner',
    rateLimits: [],
    query: planQuery,
    answer: s.planChange,
    errors: changeErrors,
  },
  'POST /orgs/:name/billing/change-plan': {
    summary: 'Change the plan; a larger one applies at once, prorated',
    access: 'user',
    role: 'owner',
    rateLimits: ['writes'],
    audit: ['billing.change-plan', 'billing.cancel'],
    body: planBody,
    answer: s.ok,
    errors: changeErrors,
    note: 'A smaller plan starts at the end of the period, without a charge. `free` cancels.',
  },
  'POST /orgs/:name/billing/cancel': {
    summary: 'Cancel at period end',
    access: 'user',
    role: 'owner',
    rateLimits: ['writes'],
    audit: ['billing.cancel'],
    answer: s.ok,
    errors: ['no_subscription'],
  },
  'POST /orgs/:name/billing/resume': {
    summary: 'Undo a cancellation',
    access: 'user',
    role: 'owner',
    rateLimits: ['writes'],
    audit: ['billing.resume'],
    answer: s.ok,
    errors: ['no_subscription'],
  },
  'POST /orgs/:name/billing/portal': {
    summary: 'URL of the page of the payment provider to change the card',
    access: 'user',
    role: 'owner',
    rateLimits: ['writes', 'paymentPages'],
    audit: [],
    answer: portal,
    errors: ['no_subscription', 'payment_unavailable'],
  },
  'GET /orgs/:name/billing/invoices/:id/pdf': {
    summary: 'URL of the invoice PDF',
    access: 'user',
    role: 'admin',
    rateLimits: [],
    answer: pdf,
    errors: ['not_found'],
    note: pdfNote,
  },

  'POST /hooks/stripe': {
    summary: 'Webhook of Stripe',
    access: 'none',
    rateLimits: [],
    audit: [],
    rawBody: ['application/json'],
    answer: s.ok,
    errors: ['unauthorized', 'not_found'],
  },
  'GET /pay/:session': {
    summary: 'Payment page of the sandbox',
    access: 'none',
    rateLimits: [],
    answer: 'text/html',
    errors: ['not_found'],
  },
  'POST /pay/:session': {
    summary: 'Pay or decline on the payment page of the sandbox',
    access: 'none',
    rateLimits: [],
    audit: [],
    rawBody: ['application/x-www-form-urlencoded'],
    answer: 'text/html',
    errors: ['not_found', 'invalid_request'],
  },
} as const satisfies Endpoints
