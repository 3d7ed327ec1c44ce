// What is still missing, in one place: these endpoints answer 501 until they are built.
import type { EndpointKey } from '@svc/contract'

export const notBuiltYet = [
  'POST /hooks/github',
  'GET /usage/ai',
  'GET /billing',
  'PUT /billing/profile',
  'POST /billing/checkout',
  'POST /billing/change-plan',
  'POST /billing/cancel',
  'POST /billing/resume',
  'GET /billing/invoices/:id/pdf',
  'GET /orgs/:name/usage/ai',
  'GET /orgs/:name/billing',
  'PUT /orgs/:name/billing/profile',
  'POST /orgs/:name/billing/checkout',
  'POST /orgs/:name/billing/change-plan',
  'POST /orgs/:name/billing/cancel',
  'POST /orgs/:name/billing/resume',
  'GET /orgs/:name/billing/invoices/:id/pdf',
] as const satisfies readonly EndpointKey[]
