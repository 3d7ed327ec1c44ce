// What is still missing, in one place: these endpoints answer 501 until they are built.
import type { EndpointKey } from '@svc/contract'

export const notBuiltYet = [
  'POST /hooks/github',
  'GET /usage/ai',
  'GET /billing',
  'PUT /billing/profile',
  'POST /billing/checkout',
  'GET /billing/change-plan',
  'POST /billing/change-plan',
  'POST /billing/cancel',
  'POST /billing/resume',
  'POST /billing/portal',
  'GET /billing/invoices/:id/pdf',
  'GET /orgs/:name/usage/ai',
  'GET /orgs/:name/billing',
  'PUT /orgs/:name/billing/profile',
  'POST /orgs/:name/billing/checkout',
  'GET /orgs/:name/billing/change-plan',
  'POST /orgs/:name/billing/change-plan',
  'POST /orgs/:name/billing/cancel',
  'POST /orgs/:name/billing/resume',
  'POST /orgs/:name/billing/portal',
  'POST /hooks/stripe',
  'GET /pay/:session',
  'POST /pay/:session',
  'GET /orgs/:name/billing/invoices/:id/pdf',
] as const satisfies readonly EndpointKey[]
