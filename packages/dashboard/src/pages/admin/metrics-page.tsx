// Memory, CPU, answer times, requests and errors of the whole platform over time.
import { Empty } from '../../components/empty.tsx'
import { ChartsSection, useChartRange } from '../stats/charts.tsx'
import { usePlatformCharts } from '../stats/data.ts'
import { AdminLayout } from './admin-layout.tsx'

export function AdminMetricsPage() {
  const range = useChartRange()
  const resource = usePlatformCharts(range.id)
  return (
    <AdminLayout tab="Metrics">
      <ChartsSection
        lead="Of all projects and nodes. Memory and CPU are those of svcd and all server apps together. Times are UTC."
        range={range}
        resource={resource}
        nothing={
          <Empty title="Nothing is measured yet">
            <p>svcd measures itself every 10 seconds. The first minute is here when it is over.</p>
          </Empty>
        }
      />
    </AdminLayout>
  )
}
