// Charts over time: of the app of a project, or of the whole platform.
import type { ChartPoint, Charts } from '@svc/contract'
import type { ReactNode } from 'react'
import { useSearch } from 'wouter'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import type { Resource } from '../../resource.ts'
import styles from './analytics-page.module.css'
import { BarChart } from './bar-chart.tsx'
import { RangeChoice } from './range-choice.tsx'
import { type Range, rangeIn } from './ranges.ts'
import type { Unit } from './scale.ts'
import { dayTicks, hourTicks, momentLabel } from './when.ts'

const ranges = [
  { id: '1h', title: '1 hour', words: 'the last hour', hours: 1 },
  { id: '24h', title: '24 hours', words: 'the last 24 hours', hours: 24 },
  { id: '7d', title: '7 days', words: 'the last 7 days', days: 7 },
  { id: '30d', title: '30 days', words: 'the last 30 days', days: 30 },
] as const satisfies readonly Range[]

const usual = ranges[0]

type ChartRange = (typeof ranges)[number]

interface Figure {
  title: string
  /** What the bars show. */
  words: string
  of(point: ChartPoint): number | null
  unit: Unit
  tone?: 'red'
}

const figures: readonly Figure[] = [
  { title: 'Memory', words: 'memory', of: point => point.memory_bytes, unit: 'bytes' },
  {
    title: 'CPU (of a core)',
    words: 'of a core',
    of: ({ cpu_cores }) => (cpu_cores === null ? null : Math.round(cpu_cores * 1000) / 10),
    unit: 'percent',
  },
  { title: 'Answer time (p95)', words: '95% took at most', of: point => point.p95_ms, unit: 'ms' },
  { title: 'Requests', words: 'requests', of: point => point.requests, unit: 'count' },
  { title: 'Errors', words: 'answers with 5xx', of: point => point.errors, unit: 'count', tone: 'red' },
]

interface ChartsSectionProps {
  lead: string
  range: ChartRange
  resource: Resource<Charts>
  /** Shown if there is nothing in the range. */
  nothing: ReactNode
}

/** The range that the page's URL names. */
export const useChartRange = (): ChartRange => rangeIn<ChartRange>(useSearch(), usual, ranges)

export function ChartsSection({ lead, range, resource, nothing }: ChartsSectionProps) {
  return (
    <Section
      title="Metrics"
      lead={lead}
      actions={<RangeChoice chosen={range} usual={usual} among={ranges} />}
    >
      <Loaded key={range.id} resource={resource} rows={6} label="Loading the metrics">
        {charts => (isEmpty(charts) ? nothing : <ChartList charts={charts} isOfHours={'hours' in range} />)}
      </Loaded>
    </Section>
  )
}

const isEmpty = ({ points }: Charts): boolean =>
  points.every(({ requests, memory_bytes }) => requests === 0 && memory_bytes === null)

/** A figure that nothing has measured, such as the memory of a project without an app, is left out. */
function ChartList({ charts: { points }, isOfHours }: { charts: Charts; isOfHours: boolean }) {
  const times = points.map(({ at }) => at)
  const ticks = isOfHours ? hourTicks(times) : dayTicks(times)
  return (
    <div className={`${styles.page} ${styles.pair}`}>
      {figures
        .filter(({ of }) => points.some(point => of(point) !== null))
        .map(({ title, words, of, unit, tone }) => (
          <BarChart
            key={title}
            title={title}
            whole={words}
            unit={unit}
            {...(tone && { tone })}
            bars={points.map(point => ({ when: momentLabel(point.at), whole: of(point) }))}
            ticks={ticks}
          />
        ))}
    </div>
  )
}
