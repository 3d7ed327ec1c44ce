// The plan that counts now, how it goes on, and what can be done about it.
import type { Billing, Plan, Subscription } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatDay } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import { formatEuros } from './amounts.ts'
import type { BillingCalls } from './billing.ts'
import styles from './plan-card.module.css'

interface PlanCardProps {
  billing: Billing
  calls: BillingCalls
  /** Whether the viewer may spend money. */
  mayPay: boolean
  refresh: () => Promise<void>
}

export function PlanCard({ billing, calls, mayPay, refresh }: PlanCardProps) {
  const { plan, subscription, provider } = billing
  return (
    <Card title="Plan">
      <div className={styles.plan}>
        <div>
          <p className={styles.name}>{plan.name}</p>
          <p className={styles.soft}>{priceWords(plan, billing.profile.tax.rate_percent > 0)}</p>
        </div>
        {mayPay && subscription && <Actions billing={billing} calls={calls} refresh={refresh} />}
      </div>
      {subscription && <Standing subscription={subscription} catalog={billing.catalog} />}
      {provider === 'sandbox' && (
        <p className={styles.soft}>This instance takes payments in a sandbox: no real money moves.</p>
      )}
    </Card>
  )
}

const priceWords = ({ price_cents }: Plan, hasVat: boolean): string =>
  price_cents === 0 ? 'Free of charge' : `${formatEuros(price_cents)} a month${hasVat ? ', plus VAT' : ''}`

const nameOf = (catalog: Plan[], id: string): string => catalog.find(plan => plan.id === id)?.name ?? id

function Standing({ subscription, catalog }: { subscription: Subscription; catalog: Plan[] }) {
  const { status, period_end, next_plan, retry_at } = subscription
  const name = nameOf(catalog, subscription.plan)
  if (status === 'past_due')
    return (
      <Notice tone="error">
        The last payment for {name} failed.
        {retry_at && ` It is charged again on ${formatDay(retry_at)}.`} Pay now or change the card to keep the
        plan.
      </Notice>
    )
  if (status === 'cancelling')
    return (
      <Notice tone="warning">
        {name} is cancelled and ends on {formatDay(period_end)}. Then the free plan counts; nothing is
        deleted.
      </Notice>
    )
  if (status === 'lapsed')
    return <Notice tone="info">{name} has ended. The free plan counts, and nothing was deleted.</Notice>
  if (next_plan)
    return (
      <Notice tone="info">
        On {formatDay(period_end)} the plan changes to {nameOf(catalog, next_plan)}.
      </Notice>
    )
  return <p className={styles.soft}>Renews on {formatDay(period_end)}.</p>
}

function Actions({ billing, calls, refresh }: Omit<PlanCardProps, 'mayPay'>) {
  const [cancelling, setCancelling] = useState(false)
  const { doing, run } = useWork()
  const { status, plan, period_end } = billing.subscription!

  const leave = (url: string) => location.assign(url)
  const pay = async () => leave((await calls.checkout(plan)).checkout_url)
  const changeCard = async () => leave((await calls.portal()).portal_url)
  async function resume() {
    await calls.resume()
    await refresh()
    notify({ tone: 'ok', text: 'The plan goes on.' })
  }

  return (
    <div className={styles.actions}>
      {status === 'past_due' && (
        <Button look="primary" busy={doing === 'pay'} onClick={() => run(pay, 'pay')}>
          Pay now
        </Button>
      )}
      {status === 'cancelling' && (
        <Button look="primary" busy={doing === 'resume'} onClick={() => run(resume, 'resume')}>
          Resume plan
        </Button>
      )}
      {status !== 'lapsed' && (
        <Button busy={doing === 'card'} onClick={() => run(changeCard, 'card')}>
          Change card
        </Button>
      )}
      {(status === 'active' || status === 'past_due') && (
        <Button onClick={() => setCancelling(true)}>Cancel plan</Button>
      )}
      {cancelling && (
        <ConfirmDialog
          title="Cancel the plan?"
          action="Cancel plan"
          keep="Keep it"
          run={async () => {
            await calls.cancel()
            await refresh()
          }}
          onClose={() => setCancelling(false)}
        >
          <p>
            {status === 'past_due'
              ? 'It ends at once, since its period is over. The free plan counts, and nothing is deleted.'
              : `It stays until ${formatDay(period_end)}. Then the free plan counts, and nothing is deleted.`}
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
