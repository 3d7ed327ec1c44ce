// The page views that fit the filters.
import { Link, useLocation, useSearch } from 'wouter'
import { Icon } from '../../components/icon.tsx'
import { AudienceLists } from './audience-lists.tsx'
import { BarChart } from './bar-chart.tsx'
import type { Breakdown } from './data.ts'
import styles from './filtered-view.module.css'
import { type Facet, type Filters, facets, filteredUrl, unfilteredUrl, valueWords } from './filters.ts'
import { fullLabel } from './scale.ts'
import { dayLabel, dayTicks } from './when.ts'

export function FilteredView({ stats }: { stats: Breakdown }) {
  const { totals, timeline, complete } = stats
  return (
    <>
      <BarChart
        title={`Page views per day, ${fullLabel(totals.pageviews, 'count')} in all`}
        whole="page views"
        bars={timeline.map(({ day, pageviews }) => ({ when: dayLabel(day), whole: pageviews }))}
        ticks={dayTicks(timeline.map(({ day }) => day))}
      />
      {!complete && (
        <p className={styles.note}>
          Some page views of this period cannot be filtered and are left out: rare ones, and those that were
          counted before the platform could filter.
        </p>
      )}
      <AudienceLists audience={stats} canFilter />
    </>
  )
}

/** The filters that are on. Each has a button that takes it off. */
export function FilterBar({ filters }: { filters: Filters }) {
  const [path] = useLocation()
  const search = useSearch()
  const on = Object.entries(filters) as [Facet, string][]
  if (on.length === 0) return null
  return (
    <div className={styles.bar}>
      <ul className={styles.filters} aria-label="Filters">
        {on.map(([facet, value]) => (
          <li key={facet}>
            <Link
              href={filteredUrl(path, search, facet)}
              className={styles.filter}
              aria-label={`Remove the filter ${facets[facet]}: ${valueWords(facet, value)}`}
            >
              <span className={styles.words}>
                {facets[facet]}: <b>{valueWords(facet, value)}</b>
              </span>
              <Icon name="close" size={13} />
            </Link>
          </li>
        ))}
      </ul>
      <Link href={unfilteredUrl(path, search)} className={styles.clear}>
        Clear filters
      </Link>
    </div>
  )
}
