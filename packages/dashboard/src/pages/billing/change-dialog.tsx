// Asks before a plan is changed, and says first what is charged now and later.
import type { Plan, PlanChange } from '@svc/contract'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatDay } from '../../format.ts'
import { useResource } from '../../resource.ts'
import { formatExactly } from './amounts.ts'
import type { BillingCalls } from './billing.ts'
import styles from './change-dialog.module.css'

interface ChangeDialogProps {
  plan: Plan
  current: Plan
  /** Whether invoices have VAT. */
  hasVat: boolean
  calls: BillingCalls
  refresh: () => Promise<void>
  onClose: () => void
}

export function ChangeDialog({ plan, current, hasVat, calls, refresh, onClose }: ChangeDialogProps) {
  const preview = useResource(`${calls.key} change to ${plan.id}`, () => calls.previewChange(plan.id))
  const { data } = preview

  async function change() {
    await calls.changePlan(plan.id)
    await refresh()
    notify({ tone: 'ok', text: doneWords(plan, data) })
    onClose()
  }

  return (
    <FormDialog
      title={plan.id === current.id ? `Keep ${plan.name}?` : `Change to ${plan.name}?`}
      action={
        data && data.total_cents > 0 ? `Pay ${formatExactly(data.total_cents)}` : `Confirm ${plan.name}`
      }
      disabled={!data}
      run={change}
      onClose={onClose}
    >
      <Loaded resource={preview} rows={2} label="Working out the price">
        {change => <Words plan={plan} current={current} hasVat={hasVat} change={change} />}
      </Loaded>
    </FormDialog>
  )
}

const doneWords = (plan: Plan, change: PlanChange | undefined): string =>
  change?.takes_effect === 'now' ? `You have the plan ${plan.name}.` : `The plan ${plan.name} is planned.`

function Words({
  plan,
  current,
  hasVat,
  change,
}: Pick<ChangeDialogProps, 'plan' | 'current' | 'hasVat'> & { change: PlanChange }) {
  const { takes_effect, net_cents, vat_cents, total_cents, renews_at, renewal_cents } = change
  const renewal =
    renews_at &&
    `${formatExactly(renewal_cents)} a month from ${formatDay(renews_at)} on${hasVat ? ', VAT included' : ''}`
  if (takes_effect === 'at_period_end')
    return (
      <p>
        {plan.id === current.id
          ? `Nothing is charged now, and ${plan.name} goes on as it is.`
          : `Nothing is charged now. ${current.name} stays until the end of the period, which is paid for.`}
        {renewal && ` Then: ${renewal}.`}
      </p>
    )
  return (
    <>
      <p>{plan.name} counts at once. You pay the difference for the rest of the period:</p>
      <dl className={styles.sum}>
        <Line name="Difference" cents={net_cents} />
        {hasVat && <Line name="VAT" cents={vat_cents} />}
        <Line name="Charged now" cents={total_cents} />
      </dl>
      {renewal && <p>Then: {renewal}.</p>}
    </>
  )
}

const Line = ({ name, cents }: { name: string; cents: number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{formatExactly(cents)}</dd>
  </div>
)
