// The plans that can be had, side by side, each with what it costs and allows.
import type { Billing, Plan } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { formatDay } from '../../format.ts'
import { leaving, useWork } from '../../use-work.ts'
import { amounts, formatAmount, formatEuros } from './amounts.ts'
import type { BillingCalls } from './billing.ts'
import styles from './catalog.module.css'
import { ChangeDialog } from './change-dialog.tsx'
import { DetailsDialog } from './details-dialog.tsx'

interface CatalogProps {
  billing: Billing
  calls: BillingCalls
  mayPay: boolean
  isOrg: boolean
  refresh: () => Promise<void>
}

export function Catalog({ billing, calls, mayPay, isOrg, refresh }: CatalogProps) {
  const [changing, setChanging] = useState<Plan>()
  const [buying, setBuying] = useState<Plan>()
  const hasVat = billing.profile.tax.rate_percent > 0
  return (
    <Card title="Plans" lead={`Prices are for a month${hasVat ? ', without VAT' : ''}.`}>
      {mayPay && <WhyNot billing={billing} />}
      <ul className={styles.plans}>
        {billing.catalog.map(plan => (
          <li key={plan.id} className={styles.plan} data-current={plan.id === billing.plan.id || undefined}>
            <h3>{plan.name}</h3>
            <p className={styles.price}>
              {formatEuros(plan.price_cents)} <span>a month</span>
            </p>
            <ul className={styles.amounts}>
              {amounts
                .filter(({ key }) => !(isOrg && key === 'orgs') && plan[key] !== 0)
                .map(({ key, title, unit }) => (
                  <li key={key}>
                    <Icon name="check" size={14} />
                    <span>
                      <strong>{formatAmount(plan[key], unit)}</strong>{' '}
                      {title.toLowerCase().replace('ai ', 'AI ')}
                    </span>
                  </li>
                ))}
            </ul>
            <div className={styles.action}>
              <Choice {...{ plan, billing, calls, mayPay }} onChange={setChanging} onBuyFirst={setBuying} />
            </div>
          </li>
        ))}
      </ul>
      {changing && (
        <ChangeDialog
          plan={changing}
          current={billing.plan}
          hasVat={hasVat}
          calls={calls}
          refresh={refresh}
          onClose={() => setChanging(undefined)}
        />
      )}
      {buying && (
        <DetailsDialog
          plan={buying}
          profile={billing.profile}
          calls={calls}
          onClose={() => setBuying(undefined)}
        />
      )}
    </Card>
  )
}

/** Says why some plans cannot be chosen now. */
function WhyNot({ billing: { subscription, plan, catalog } }: Pick<CatalogProps, 'billing'>) {
  const hasSmaller = catalog.some(other => other.price_cents > 0 && other.price_cents < plan.price_cents)
  if (subscription?.status === 'cancelling' && hasSmaller)
    return (
      <Notice tone="info">
        {plan.name} is cancelled and paid for until {formatDay(subscription.period_end)}. To change to a
        smaller plan, resume {plan.name} first, or choose another plan when it has ended.
      </Notice>
    )
  if (subscription?.status === 'past_due')
    return <Notice tone="info">Plans can be changed when the open payment is paid.</Notice>
  return null
}

interface ChoiceProps extends Pick<CatalogProps, 'billing' | 'calls' | 'mayPay'> {
  plan: Plan
  onChange: (plan: Plan) => void
  /** Asks for the invoice details, which are missing, before the first payment. */
  onBuyFirst: (plan: Plan) => void
}

function Choice({ plan, billing, calls, mayPay, onChange, onBuyFirst }: ChoiceProps) {
  const { busy, run } = useWork()
  const { subscription } = billing
  if (plan.id === billing.plan.id && subscription?.next_plan == null)
    return <p className={styles.current}>Your plan</p>
  if (subscription?.next_plan === plan.id)
    return <p className={styles.current}>Follows at the end of the period</p>
  if (!mayPay || subscription?.status === 'past_due') return null
  const isPaid = subscription?.status === 'active' || subscription?.status === 'cancelling'
  if (
    plan.price_cents === 0 ||
    (subscription?.status === 'cancelling' && plan.price_cents < billing.plan.price_cents)
  )
    return null

  function buy() {
    if (billing.profile.name === null || billing.profile.country === null) return onBuyFirst(plan)
    run(async () => {
      location.assign((await calls.checkout(plan.id)).checkout_url)
      return leaving
    })
  }

  return (
    <Button
      look={plan.price_cents > billing.plan.price_cents ? 'primary' : 'plain'}
      busy={busy}
      onClick={() => (isPaid ? onChange(plan) : buy())}
    >
      {plan.id === billing.plan.id ? `Keep ${plan.name}` : `Change to ${plan.name}`}
    </Button>
  )
}
