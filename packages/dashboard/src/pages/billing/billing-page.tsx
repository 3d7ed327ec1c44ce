import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { Cards } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { notify } from '../../components/toasts.tsx'
import { may } from '../../rights.ts'
import { AccountLayout } from '../identity/account/account-layout.tsx'
import { OrgLayout } from '../orgs/org-layout.tsx'
import { type BillingCalls, billingOf, ownBilling, useBilling } from './billing.ts'
import { Catalog } from './catalog.tsx'
import { Invoices } from './invoices.tsx'
import { PlanCard } from './plan-card.tsx'
import { ProfileFacts, ProfileForm } from './profile-form.tsx'
import { Usage } from './usage.tsx'

export function BillingPage() {
  return (
    <AccountLayout title="Billing">
      <BillingCards calls={ownBilling} mayPay isOrg={false} />
    </AccountLayout>
  )
}

export function OrgBillingPage() {
  return (
    <OrgLayout tab="Billing">
      {org => (
        <BillingCards
          calls={billingOf(org.name)}
          mayPay={may(org.role, 'POST /orgs/:name/billing/checkout')}
          isOrg
        />
      )}
    </OrgLayout>
  )
}

function BillingCards({ calls, mayPay, isOrg }: { calls: BillingCalls; mayPay: boolean; isOrg: boolean }) {
  const resource = useBilling(calls)
  const { refresh, data } = resource
  const returned = useReturn()
  // The provider tells the platform of a payment a moment later, and the PDF of an invoice is made after it.
  const unfinished =
    data?.invoices.some(({ has_document }) => !has_document) || (returned && !data?.subscription)
  useEffect(() => {
    if (!unfinished) return
    const timer = setInterval(() => void refresh(), 2_000)
    return () => clearInterval(timer)
  }, [unfinished, refresh])
  return (
    <Loaded resource={resource} rows={5} label="Loading billing">
      {billing => (
        <Cards>
          <PlanCard billing={billing} calls={calls} mayPay={mayPay} refresh={refresh} />
          <Usage billing={billing} isOrg={isOrg} />
          <Catalog billing={billing} calls={calls} mayPay={mayPay} isOrg={isOrg} refresh={refresh} />
          {mayPay ? (
            <ProfileForm profile={billing.profile} calls={calls} refresh={refresh} />
          ) : (
            <ProfileFacts profile={billing.profile} />
          )}
          <Invoices invoices={billing.invoices} calls={calls} />
        </Cards>
      )}
    </Loaded>
  )
}

/** Says how the payment page was left, once. Answers whether something was paid there. */
function useReturn(): boolean {
  const outcome = new URLSearchParams(useSearch()).get('payment')
  const [path, navigate] = useLocation()
  const [paid, setPaid] = useState(false)
  useEffect(() => {
    if (outcome === 'done') {
      setPaid(true)
      notify({ tone: 'ok', text: 'Thank you. The payment page is done.' })
    }
    if (outcome === 'declined')
      notify({ tone: 'error', text: 'The payment was declined. Nothing was charged.' })
    if (outcome) navigate(path, { replace: true })
  }, [outcome, path, navigate])
  return paid
}
