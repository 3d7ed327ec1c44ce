// The usage of the AI gateway and its cost, for an account and for an org.
import type { AiUsageByDay } from '@svc/contract'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { call } from '../../api.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { RowSelect } from '../../components/select.tsx'
import { formatMicroCents } from '../../format.ts'
import { type Resource, useResource } from '../../resource.ts'
import { formatEuros } from '../billing/amounts.ts'
import { AccountLayout } from '../identity/account/account-layout.tsx'
import { OrgLayout } from '../orgs/org-layout.tsx'
import charts from '../stats/analytics-page.module.css'
import { BarChart } from '../stats/bar-chart.tsx'
import { Figures } from '../stats/figures.tsx'
import { RangeChoice } from '../stats/range-choice.tsx'
import { rangeIn, ranges } from '../stats/ranges.ts'
import { fullLabel } from '../stats/scale.ts'
import { dayLabel, dayTicks } from '../stats/when.ts'
import { AiAccess, FirstSteps } from './first-steps.tsx'
import { Models } from './models.tsx'
import { byDay, byModel, sumOf } from './sums.ts'

export function AiPage() {
  return (
    <AccountLayout title="AI">
      <AiUsage org={undefined} />
    </AccountLayout>
  )
}

export function OrgAiPage() {
  return <OrgLayout tab="AI">{org => <AiUsage org={org.name} />}</OrgLayout>
}

const inDays = ranges.flatMap(range => ('days' in range ? [range] : []))
const usual = inDays.find(({ days }) => days === 30) ?? inDays[0]!

function AiUsage({ org }: { org: string | undefined }) {
  const range = rangeIn(useSearch(), usual, inDays)
  return (
    <Section
      title="AI usage"
      lead="Requests to the AI gateway. Counts only: no prompt and no answer is stored. Days are UTC."
      actions={<RangeChoice chosen={range} usual={usual} among={inDays} />}
    >
      <Loaded key={range.id} resource={useAiUsage(org, range.days)} rows={6} label="Loading the AI usage">
        {usage =>
          usage.rows.length === 0 ? (
            <FirstSteps org={org} baseUrl={usage.base_url} when={range.words} />
          ) : (
            <Usage usage={usage} org={org} />
          )
        }
      </Loaded>
    </Section>
  )
}

/** The usage of an org, or of the account if `org` is undefined. */
const useAiUsage = (org: string | undefined, days: number): Resource<AiUsageByDay> =>
  useResource(`ai ${org ?? ''} ${days}`, () =>
    org === undefined
      ? call('GET /usage/ai/days', { query: { days: String(days) } })
      : call('GET /orgs/:name/usage/ai/days', { params: { name: org }, query: { days: String(days) } }),
  )

const allModels = ''

function Usage({ usage, org }: { usage: AiUsageByDay; org: string | undefined }) {
  const [chosen, setChosen] = useState(allModels)
  const models = byModel(usage.rows)
  const rows = chosen === allModels ? usage.rows : usage.rows.filter(({ model }) => model === chosen)
  const days = byDay(usage, rows)
  const sums = sumOf(usage.rows)
  // Without prices there is no cost to draw.
  const [title, unit] =
    sums.cost_micro_cents > 0 ? (['Cost', 'money'] as const) : (['Requests', 'count'] as const)
  return (
    <div className={charts.page}>
      <AiAccess org={org} baseUrl={usage.base_url} />
      <Figures
        figures={[
          { name: 'Cost', value: formatMicroCents(sums.cost_micro_cents), ...creditNote(usage.month) },
          { name: 'Requests', value: fullLabel(sums.requests, 'count') },
          { name: 'Prompt tokens', value: fullLabel(sums.prompt_tokens, 'count') },
          { name: 'Completion tokens', value: fullLabel(sums.completion_tokens, 'count') },
        ]}
      />
      <RowSelect
        label="Model"
        value={chosen}
        options={[
          { value: allModels, title: 'All models' },
          ...models.map(({ model }) => ({ value: model, title: model })),
        ]}
        onChoose={setChosen}
      />
      <BarChart
        title={`${title} per day`}
        whole={unit === 'money' ? '' : 'requests'}
        unit={unit}
        bars={days.map(day => ({
          when: dayLabel(day.day),
          whole: unit === 'money' ? day.cost_micro_cents : day.requests,
        }))}
        ticks={dayTicks(days.map(({ day }) => day))}
      />
      <Models models={models} />
    </div>
  )
}

/** The plan's amount is for a calendar month, also if the page shows other days. */
function creditNote({ cost_micro_cents, credit_cents }: AiUsageByDay['month']): { note?: string } {
  if (credit_cents === null) return {}
  return { note: `${formatMicroCents(cost_micro_cents)} of ${formatEuros(credit_cents)} credit this month` }
}
