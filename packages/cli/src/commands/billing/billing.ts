// The plan of the account or of an organization, and what is used of it.
import type { Answer, EndpointTable } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { bold, clean, dim, print, printJson, printTable, size } from '../../output.ts'
import { connect, required } from '../../session.ts'

type Billing = Sparse<Answer<EndpointTable['GET /billing']>>
type Plan = NonNullable<Billing['plan']>

export const showBilling: Run = async ({ options: { org, json } }) => {
  const call = connect()
  const billing =
    org === undefined
      ? await call('GET /billing')
      : await call('GET /orgs/:name/billing', { params: { name: org } })
  if (json) return printJson(billing)
  const plan = required(billing, 'plan')
  printTable([
    ['Plan', bold(clean(plan.name ?? plan.id)), dim(priceOf(plan, billing.profile?.tax?.rate_percent !== 0))],
    ...standing(billing).map(([name = '', words = '']) => [name, words, '']),
  ])
  const rows = usageRows(billing, plan)
  if (rows.length === 0) return
  print('')
  print(bold('Usage'))
  printTable(rows)
}

const priceOf = ({ price_cents }: Plan, hasVat: boolean): string =>
  typeof price_cents !== 'number'
    ? ''
    : price_cents === 0
      ? 'free of charge'
      : `${euros(price_cents)} a month${hasVat ? ' plus VAT' : ''}`

const euros = (cents: number): string => `€${(cents / 100).toFixed(2)}`

/** Says when the plan renews, changes or ends. */
function standing({ subscription, catalog }: Billing): string[][] {
  if (!subscription) return []
  const { status, period_end, next_plan, retry_at } = subscription
  const on = day(period_end)
  const nameOf = (id: string | null | undefined) => clean(catalog?.find(plan => plan.id === id)?.name ?? id)
  if (status === 'past_due')
    return [
      ['Past due', `The last payment failed.${retry_at ? ` It is charged again on ${day(retry_at)}.` : ''}`],
    ]
  if (status === 'cancelling') return [['Ends', on]]
  if (status === 'lapsed') return [['Ended', `${nameOf(subscription.plan)}, on ${on}`]]
  if (next_plan) return [['Changes', `to ${nameOf(next_plan)} on ${on}`]]
  return on ? [['Renews', on]] : []
}

const day = (timestamp: string | null | undefined): string => clean(timestamp).slice(0, 10)

type Unit = (amount: number) => string
const number: Unit = amount => amount.toLocaleString('en-US')

/** The limits of a plan, in the order of the dashboard. */
const amounts = [
  ['projects', 'Projects', number],
  ['domains', 'Custom domains', number],
  ['bandwidth_bytes', 'Bandwidth this month', size],
  ['build_minutes', 'Build minutes this month', number],
  ['stored_bytes', 'Stored deployments', size],
  ['ready_apps', 'Server apps kept ready', number],
  ['running_apps', 'Running apps', number],
  ['ai_credit_cents', 'AI credit this month', euros],
  ['orgs', 'Organizations', number],
] as const satisfies readonly (readonly [keyof Plan, string, Unit])[]

const usageRows = ({ usage }: Billing, plan: Plan): string[][] =>
  amounts.flatMap(([key, title, written]) => {
    const [counted, allowed] = [usage?.[key], plan[key]]
    if (typeof counted !== 'number') return []
    // No more apps are kept ready than the plan allows; the others work all the same.
    const used = key === 'ready_apps' && typeof allowed === 'number' ? Math.min(counted, allowed) : counted
    return [[title, bold(written(used)), typeof allowed === 'number' ? dim(`of ${written(allowed)}`) : '']]
  })
