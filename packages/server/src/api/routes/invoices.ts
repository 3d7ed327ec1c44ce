// Invoice details, and the PDFs of invoices.
import { documentBehind, linkToDocument } from '../../core/billing/invoices/links.ts'
import { changeProfile } from '../../core/billing/profile.ts'
import type { Platform } from '../../core/platform/platform.ts'
import { type Handlers, RawAnswer } from '../call.ts'

export const invoiceRoutes = (platform: Platform) =>
  ({
    'PUT /billing/profile': async ({ caller, body }) =>
      await changeProfile(platform, caller, { id: caller.account.id, orgId: undefined }, body),
    'PUT /orgs/:name/billing/profile': async ({ caller, org, body }) =>
      await changeProfile(platform, caller, { id: org.id, orgId: org.id }, body),
    'GET /billing/invoices/:id/pdf': async ({ caller, params }) =>
      await linkToDocument(platform, caller.account.id, params.id),
    'GET /orgs/:name/billing/invoices/:id/pdf': async ({ org, params }) =>
      await linkToDocument(platform, org.id, params.id),
    'GET /invoices/:token': async ({ params }) => {
      const { name, pdf } = await documentBehind(platform, params.token)
      const headers = {
        'content-type': 'application/pdf',
        'content-length': String(pdf.length),
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      }
      return new RawAnswer(200, headers, pdf)
    },
  }) satisfies Partial<Handlers>
