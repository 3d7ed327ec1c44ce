// Where page views came from and what they were: one list each for pages, referrers, countries, devices, browsers and systems.
import type { ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import styles from './analytics-page.module.css'
import type { DailyStats } from './data.ts'
import { type Facet, filteredUrl, filtersIn, valueWords } from './filters.ts'
import { Ranking } from './ranking.tsx'

type Audience = Pick<DailyStats['audience'], Extract<keyof DailyStats['audience'], `top_${string}`>>

interface AudienceListsProps {
  audience: Audience
  /** Whether a press on a row filters by it. */
  canFilter: boolean
  /** Beside the countries. */
  children?: ReactNode
}

export function AudienceLists({ audience, canFilter, children }: AudienceListsProps) {
  const [path] = useLocation()
  const search = useSearch()
  const filters = filtersIn(search)
  const list = (facet: Facet, title: string, rows: [value: string, views: number][], none?: string) => (
    <Ranking
      title={title}
      unit="views"
      none={none ?? 'No page views yet.'}
      rows={rows.map(([value, views]) => {
        const isOn = filters[facet] === value
        return {
          name: valueWords(facet, value),
          value: views,
          ...(canFilter && { href: filteredUrl(path, search, facet, isOn ? undefined : value), isOn }),
        }
      })}
    />
  )
  return (
    <>
      <div className={styles.pair}>
        {list(
          'page',
          'Top pages',
          audience.top_pages.map(({ path, views }) => [path, views]),
          'Nobody has looked at a page yet. Bots and prefetches do not count.',
        )}
        {list(
          'referrer',
          'Referrers',
          audience.top_referrers.map(({ referrer, views }) => [referrer, views]),
          'Nobody came from another site.',
        )}
      </div>
      <div className={styles.three}>
        {list(
          'device',
          'Devices',
          audience.top_devices.map(({ device, views }) => [device, views]),
        )}
        {list(
          'browser',
          'Browsers',
          audience.top_browsers.map(({ browser, views }) => [browser, views]),
        )}
        {list(
          'system',
          'Operating systems',
          audience.top_systems.map(({ system, views }) => [system, views]),
        )}
      </div>
      <div className={styles.pair}>
        {list(
          'country',
          'Countries',
          audience.top_countries.map(({ country, views }) => [country, views]),
        )}
        {children}
      </div>
    </>
  )
}
