// The main numbers of a period with their change, and a chart of the one that is chosen.
import type { StatsSummary } from '@svc/contract'
import { useLocation, useSearch } from 'wouter'
import { BarChart } from './bar-chart.tsx'
import { changeOf } from './change.ts'
import { type Metric, metricIn, metrics } from './metrics.ts'
import { fullLabel } from './scale.ts'
import styles from './summary.module.css'
import { dayLabel, dayTicks, hourLabel, hourTicks } from './when.ts'

interface SummaryProps {
  summary: StatsSummary
  /** The period before in words, such as "the 7 days before". */
  before: string
}

export function Summary({ summary, before }: SummaryProps) {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const chosen = metricIn(search)
  function choose({ id }: Metric) {
    const params = new URLSearchParams(search)
    params.set('metric', id)
    navigate(`${path}?${params}`, { replace: true })
  }
  const { per, timeline } = summary
  const times = timeline.map(({ at }) => at)
  const { whole, part, unit, name } = chosen
  return (
    <section className={styles.summary} aria-label="Summary">
      <div className={styles.numbers}>
        {metrics.map(metric => (
          <button
            key={metric.id}
            type="button"
            className={styles.number}
            aria-pressed={metric === chosen}
            onClick={() => choose(metric)}
          >
            <MainNumber metric={metric} summary={summary} before={before} />
          </button>
        ))}
      </div>
      <BarChart
        title={`${name} per ${per}`}
        whole={whole}
        {...(part && { part: part.words })}
        {...(chosen.isBad && { tone: 'red' })}
        unit={unit}
        bars={timeline.map(row => ({
          when: per === 'hour' ? hourLabel(row.at) : dayLabel(row.at),
          whole: row[chosen.id],
          ...(part && { part: row[part.id] }),
        }))}
        ticks={per === 'hour' ? hourTicks(times) : dayTicks(times)}
      />
    </section>
  )
}

interface MainNumberProps extends SummaryProps {
  metric: Metric
}

function MainNumber({ metric, summary: { totals, previous }, before }: MainNumberProps) {
  const { id, name, unit, note, isBad } = metric
  const change = changeOf(totals[id], previous?.[id])
  return (
    <>
      <span className={styles.name}>{name}</span>
      <span className={styles.value}>
        {fullLabel(totals[id], unit)}
        {change && (
          <span
            className={styles.change}
            data-direction={change.direction}
            data-bad={isBad || undefined}
            data-tip={`${fullLabel(previous?.[id] ?? 0, unit)} in ${before}`}
          >
            {change.words}
            <span className="visually-hidden"> compared with {before}</span>
          </span>
        )}
      </span>
      {note && totals.requests > 0 && <span className={styles.note}>{note(totals)}</span>}
    </>
  )
}
