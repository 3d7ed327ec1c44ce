// Plans, payments and invoices of accounts and of orgs.

import type { Caller } from '../../core/base/caller.ts'
import type { BillingParts, PlanSettings, Platform, Vault } from '../../core/base/platform.ts'
import { cancel, changePlan, previewChange, resume } from '../../core/billing/change-plan.ts'
import { type BilledOwner, checkout, openPortal } from '../../core/billing/checkout.ts'
import { documentBehind, linkToDocument } from '../../core/billing/invoices/links.ts'
import { billingOverview } from '../../core/billing/overview.ts'
import { changeProfile } from '../../core/billing/profile.ts'
import { decideOnSandbox, sandboxChoices, sandboxPage } from '../../core/billing/sandbox.ts'
import { takeEvent } from '../../core/billing/webhook.ts'
import type { OrgScope } from '../../core/orgs/rights.ts'
import { Fault } from '../../lib/fault.ts'
import { readRaw } from '../body.ts'
import { type Handlers, RawAnswer } from '../call.ts'
import { afterPaymentPage, paymentPage, paymentPageGone } from '../payment-page.ts'

const eventBytes = 512 * 1024
const choiceBytes = 1024

const account = ({ account }: Caller): BilledOwner => ({ id: account.id, org: undefined })
const ofOrg = ({ id, name }: OrgScope): BilledOwner => ({ id, org: { id, name } })
const ok = { ok: true } as const

export const billingRoutes = (
  platform: BillingParts & PlanSettings & Vault & Pick<Platform, 'urls' | 'vatRegistry'>,
) =>
  ({
    'GET /billing': ({ caller }) => billingOverview(platform, caller.account.id),
    'POST /billing/checkout': ({ caller, body }) => checkout(platform, caller, account(caller), body.plan),
    'GET /billing/change-plan': ({ caller, query }) => previewChange(platform, account(caller), query.plan),
    'POST /billing/change-plan': async ({ caller, body }) => {
      await changePlan(platform, caller, account(caller), body.plan)
      return ok
    },
    'POST /billing/cancel': async ({ caller }) => {
      await cancel(platform, caller, account(caller))
      return ok
    },
    'POST /billing/resume': async ({ caller }) => {
      await resume(platform, caller, account(caller))
      return ok
    },
    'POST /billing/portal': ({ caller }) => openPortal(platform, account(caller)),

    'GET /orgs/:name/billing': ({ org }) => billingOverview(platform, org.id),
    'POST /orgs/:name/billing/checkout': ({ caller, org, body }) =>
      checkout(platform, caller, ofOrg(org), body.plan),
    'GET /orgs/:name/billing/change-plan': ({ org, query }) =>
      previewChange(platform, ofOrg(org), query.plan),
    'POST /orgs/:name/billing/change-plan': async ({ caller, org, body }) => {
      await changePlan(platform, caller, ofOrg(org), body.plan)
      return ok
    },
    'POST /orgs/:name/billing/cancel': async ({ caller, org }) => {
      await cancel(platform, caller, ofOrg(org))
      return ok
    },
    'POST /orgs/:name/billing/resume': async ({ caller, org }) => {
      await resume(platform, caller, ofOrg(org))
      return ok
    },
    'POST /orgs/:name/billing/portal': ({ org }) => openPortal(platform, ofOrg(org)),

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

    'POST /hooks/stripe': async ({ headers, stream }) => {
      const signature = headers['stripe-signature']
      const body = await readRaw(stream(), eventBytes)
      await takeEvent(platform, body, typeof signature === 'string' ? signature : undefined)
      return ok
    },
    'GET /pay/:session': ({ params }) =>
      sandboxPage(platform, params.session).then(paymentPage).catch(pageGone(platform)),
    'POST /pay/:session': async ({ params, stream }) => {
      const form = new URLSearchParams((await readRaw(stream(), choiceBytes)).toString())
      const choice = sandboxChoices.find(known => known === form.get('choice'))
      if (!choice) throw new Fault('invalid_request', `choice: must be one of ${sandboxChoices.join(', ')}`)
      return await decideOnSandbox(platform, params.session, choice)
        .then(back => afterPaymentPage(choice !== 'decline', back))
        .catch(pageGone(platform))
    },
  }) satisfies Partial<Handlers>

/** Turns an error into a page, because a person opens this URL in a browser. */
const pageGone = (platform: Pick<Platform, 'urls'>) => (error: unknown) => {
  if (error instanceof Fault && error.code === 'not_found')
    return paymentPageGone(error.message, `${platform.urls.dashboard}/billing`)
  throw error
}
