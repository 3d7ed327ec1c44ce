// What is still missing, in one place: these endpoints answer 501 until they are built.
import type { EndpointKey } from '@svc/contract'

export const notBuiltYet = [
  'GET /usage/ai',
  'PUT /billing/profile',
  'GET /billing/invoices/:id/pdf',
  'GET /orgs/:name/usage/ai',
  'PUT /orgs/:name/billing/profile',
  'GET /orgs/:name/billing/invoices/:id/pdf',
] as const satisfies readonly EndpointKey[]
