// Traffic and audience of a project.
import type { ProjectDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useSearch } from 'wouter'
import { codeOf } from '../../api.ts'
import { SiteButton } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Section } from '../../components/section.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import styles from './analytics-page.module.css'
import { useBreakdown, useDailyStats, useLiveStats } from './data.ts'
import { DaysView } from './days-view.tsx'
import { FilterBar, FilteredView } from './filtered-view.tsx'
import { type Filters, filtersIn } from './filters.ts'
import { LiveView } from './live-view.tsx'
import { RangeChoice } from './range-choice.tsx'
import { type Range, rangeIn, ranges } from './ranges.ts'

export function AnalyticsPage() {
  return <ProjectLayout tab="Analytics">{project => <Analytics project={project} />}</ProjectLayout>
}

const usual = ranges.find(({ id }) => id === '7d')!

function Analytics({ project }: { project: ProjectDetail }) {
  const search = useSearch()
  const range = rangeIn(search, usual, ranges)
  const filters = filtersIn(search)
  const canFilter = 'days' in range && range.days <= limits.breakdownDays
  return (
    <Section
      title="Analytics"
      lead="Measured at the edge, without cookies. Times are UTC."
      actions={<RangeChoice chosen={range} usual={usual} />}
    >
      <div className={styles.page}>
        {canFilter && <FilterBar filters={filters} />}
        {'hours' in range ? (
          <Live key={range.id} project={project} hours={range.hours} range={range} />
        ) : canFilter && Object.keys(filters).length > 0 ? (
          <Filtered project={project} days={range.days} filters={filters} />
        ) : (
          <Daily key={range.id} project={project} days={range.days} range={range} canFilter={canFilter} />
        )}
        <p className={styles.source}>
          <a href="https://db-ip.com" target="_blank" rel="noreferrer">
            IP Geolocation by DB-IP
          </a>
        </p>
      </div>
    </Section>
  )
}

/** "the 7 days before" */
const beforeOf = ({ words }: Range): string => words.replace('last ', '').concat(' before')

interface ViewProps {
  project: ProjectDetail
  range: Range
}

function Live({ project, hours, range }: ViewProps & { hours: number }) {
  const resource = useLiveStats(project.name, hours)
  if (codeOf(resource.error) === 'stats_unavailable')
    return (
      <Trouble title="Analytics are switched off">
        The operator of this platform has switched them off. What was counted before is still there by days.
      </Trouble>
    )
  return (
    <Loaded resource={resource} rows={6} label="Loading the stats">
      {stats =>
        stats.summary.totals.requests === 0 ? (
          <Nothing project={project} range={range} />
        ) : (
          <LiveView stats={stats} before={beforeOf(range)} />
        )
      }
    </Loaded>
  )
}

interface FilteredProps {
  project: ProjectDetail
  days: number
  filters: Filters
}

function Filtered({ project, days, filters }: FilteredProps) {
  return (
    <Loaded resource={useBreakdown(project.name, days, filters)} rows={6} label="Loading the stats">
      {stats => <FilteredView stats={stats} />}
    </Loaded>
  )
}

function Daily({ project, days, range, canFilter }: ViewProps & { days: number; canFilter: boolean }) {
  return (
    <Loaded resource={useDailyStats(project.name, days)} rows={6} label="Loading the stats">
      {stats =>
        stats.summary.totals.requests === 0 ? (
          <Nothing project={project} range={range} />
        ) : (
          <DaysView stats={stats} before={beforeOf(range)} canFilter={canFilter} />
        )
      }
    </Loaded>
  )
}

function Nothing({ project, range }: ViewProps) {
  return (
    <Empty title={`No requests in ${range.words}`}>
      {project.active_deployment_id ? (
        <>
          <p>Requests to this site show up here within seconds. Open it, or share its URL.</p>
          <div>
            <SiteButton href={project.url}>Open site</SiteButton>
          </div>
        </>
      ) : (
        <>
          <p>Nothing is deployed yet. Once this project is live, its traffic shows up here within seconds.</p>
          <Command>{`svc deploy --project ${project.name}`}</Command>
        </>
      )}
    </Empty>
  )
}
