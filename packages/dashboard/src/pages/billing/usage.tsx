// What is used of the plan: a bar for each amount, and the month's bandwidth day by day.
import type { Billing } from '@svc/contract'
import { Card } from '../../components/card.tsx'
import { Meter } from '../../components/meter.tsx'
import { BarChart } from '../stats/bar-chart.tsx'
import { dayLabel, dayTicks } from '../stats/when.ts'
import { type Amount, amounts, formatAmount, usedOf } from './amounts.ts'
import styles from './usage.module.css'

export function Usage({ billing, isOrg }: { billing: Billing; isOrg: boolean }) {
  const shown = amounts.filter(({ key }) => !(isOrg && key === 'orgs'))
  return (
    <Card title="Usage" lead={`Monthly amounts count from ${firstDay(billing)} (UTC).`}>
      <ul className={styles.amounts}>
        {shown.map(amount => (
          <UsageBar key={amount.key} amount={amount} billing={billing} />
        ))}
      </ul>
      <Bandwidth days={billing.bandwidth_by_day} />
    </Card>
  )
}

const firstDay = ({ bandwidth_by_day }: Billing): string =>
  bandwidth_by_day[0] ? dayLabel(bandwidth_by_day[0].day) : 'the first of the month'

function UsageBar({ amount: { key, title, unit }, billing }: { amount: Amount; billing: Billing }) {
  const used = usedOf(billing, key)
  const allowed = billing.plan[key]
  return (
    <li>
      <Meter
        title={title}
        used={used}
        allowed={allowed}
        format={it => formatAmount(it, unit)}
        // A full number of ready apps is no reason to worry: the others work.
        isCalm={key === 'ready_apps'}
        note={noteOf(key, used, allowed, billing)}
      />
    </li>
  )
}

function noteOf(key: Amount['key'], used: number, allowed: number | null, { usage }: Billing) {
  if (key === 'ready_apps' && usage.ready_apps > used)
    return 'Apps beyond the limit work; their first request after idleness is slower.'
  if (key === 'bandwidth_bytes' && allowed !== null && used >= allowed)
    return 'Your sites stay online. A larger plan has more bandwidth.'
  return undefined
}

function Bandwidth({ days }: { days: Billing['bandwidth_by_day'] }) {
  if (days.every(({ bytes }) => bytes === 0)) return null
  return (
    <BarChart
      title="Bandwidth this month"
      whole="sent"
      unit="bytes"
      bars={days.map(({ day, bytes }) => ({ when: dayLabel(day), whole: bytes }))}
      ticks={dayTicks(days.map(({ day }) => day))}
    />
  )
}
