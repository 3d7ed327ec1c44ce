// Traffic as both views show it: the numbers of the whole window, and the charts over its hours or days.
import { formatBytes } from '@svc/contract/bytes'
import { BarChart } from './bar-chart.tsx'
import type { Figure } from './figures.tsx'
import { fullLabel, percent } from './scale.ts'

interface Counted {
  requests: number
  bytes: number
  cache_hits: number
}

/** With a note on the requests, where there is something to know about them. */
export const trafficFigures = ({ requests, bytes, cache_hits }: Counted, note?: string): Figure[] => [
  { name: 'Requests', value: fullLabel(requests, 'count'), ...(note && { note }) },
  { name: 'Bandwidth', value: formatBytes(bytes) },
  { name: 'From cache', value: percent(cache_hits, requests) },
]

interface TrafficChartsProps {
  per: 'hour' | 'day'
  rows: readonly (Counted & { when: string })[]
  ticks: readonly string[]
}

export function TrafficCharts({ per, rows, ticks }: TrafficChartsProps) {
  return (
    <>
      <BarChart
        title={`Requests per ${per}`}
        whole="requests"
        part="from cache"
        bars={rows.map(({ when, requests, cache_hits }) => ({ when, whole: requests, part: cache_hits }))}
        ticks={ticks}
      />
      <BarChart
        title={`Bandwidth per ${per}`}
        whole="sent"
        unit="bytes"
        bars={rows.map(({ when, bytes }) => ({ when, whole: bytes }))}
        ticks={ticks}
      />
    </>
  )
}
