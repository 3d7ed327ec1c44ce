// What is used of the plan: a bar for each amount, and the month's bandwidth day by day.
import type { Billing } from '@svc/contract'
import { Card } from '../../components/card.tsx'
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

function UsageBar({ amount, billing }: { amount: Amount; billing: Billing }) {
  const { key, title, unit } = amount
  const used = usedOf(billing, key)
  const allowed = billing.plan[key]
  const share = allowed === null ? 0 : allowed === 0 ? Number(used > 0) : used / allowed
  // A full number of ready apps is no reason to worry: the others work.
  const level = key === 'ready_apps' ? undefined : share >= 1 ? 'full' : share >= 0.8 ? 'high' : undefined
  return (
    <li className={styles.amount}>
      <p className={styles.words}>
        <span>{title}</span>
        <span className={styles.numbers}>
          <strong>{formatAmount(used, unit)}</strong>{' '}
          {allowed === null ? '' : `of ${formatAmount(allowed, unit)}`}
        </span>
      </p>
      <svg
        className={styles.bar}
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        aria-hidden="true"
        data-level={level}
      >
        <rect x={0} y={0} width={Math.min(100, share * 100)} height={1} />
      </svg>
      {key === 'ready_apps' && billing.usage[key] > used && (
        <p className={styles.note}>
          Apps beyond the limit work; their first request after idleness is slower.
        </p>
      )}
      {key === 'bandwidth_bytes' && share >= 1 && (
        <p className={styles.note}>Your sites stay online. A larger plan has more bandwidth.</p>
      )}
    </li>
  )
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
