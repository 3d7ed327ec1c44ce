// The billing of the account or of an org: the same calls on two addresses.
import type { Billing, BillingProfile, PlanChange } from '@svc/contract'
import { call } from '../../api.ts'
import { type Resource, useResource } from '../../resource.ts'

export type ProfileInput = Record<'name' | 'address' | 'country' | 'vat_number' | 'email', string>

export interface BillingCalls {
  /** Names the owner among what is kept of the API's answers. */
  key: string
  load(): Promise<Billing>
  checkout(plan: string): Promise<{ checkout_url: string }>
  previewChange(plan: string): Promise<PlanChange>
  changePlan(plan: string): Promise<unknown>
  cancel(): Promise<unknown>
  resume(): Promise<unknown>
  portal(): Promise<{ portal_url: string }>
  invoicePdf(id: string): Promise<{ url: string }>
  saveProfile(input: ProfileInput): Promise<BillingProfile>
}

export const ownBilling: BillingCalls = {
  key: 'billing',
  load: () => call('GET /billing'),
  checkout: plan => call('POST /billing/checkout', { body: { plan } }),
  previewChange: plan => call('GET /billing/change-plan', { query: { plan } }),
  changePlan: plan => call('POST /billing/change-plan', { body: { plan } }),
  cancel: () => call('POST /billing/cancel'),
  resume: () => call('POST /billing/resume'),
  portal: () => call('POST /billing/portal'),
  invoicePdf: id => call('GET /billing/invoices/:id/pdf', { params: { id } }),
  saveProfile: body => call('PUT /billing/profile', { body }),
}

export function billingOf(name: string): BillingCalls {
  const params = { name }
  return {
    key: `billing ${name}`,
    load: () => call('GET /orgs/:name/billing', { params }),
    checkout: plan => call('POST /orgs/:name/billing/checkout', { params, body: { plan } }),
    previewChange: plan => call('GET /orgs/:name/billing/change-plan', { params, query: { plan } }),
    changePlan: plan => call('POST /orgs/:name/billing/change-plan', { params, body: { plan } }),
    cancel: () => call('POST /orgs/:name/billing/cancel', { params }),
    resume: () => call('POST /orgs/:name/billing/resume', { params }),
    portal: () => call('POST /orgs/:name/billing/portal', { params }),
    invoicePdf: id => call('GET /orgs/:name/billing/invoices/:id/pdf', { params: { ...params, id } }),
    saveProfile: body => call('PUT /orgs/:name/billing/profile', { params, body }),
  }
}

export const useBilling = (calls: BillingCalls): Resource<Billing> => useResource(calls.key, calls.load)
