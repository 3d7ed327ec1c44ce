// Traffic of the last hours, as it comes.
import { formatBytes } from '@svc/contract/bytes'
import styles from './analytics-page.module.css'
import { countryName } from './country-name.ts'
import type { LiveStats } from './data.ts'
import { Figures } from './figures.tsx'
import { Ranking } from './ranking.tsx'
import { fullLabel, percent } from './scale.ts'
import { type Share, ShareBar, type Tone } from './share-bar.tsx'
import { TrafficCharts, trafficFigures } from './traffic.tsx'
import { hourLabel, hourTicks } from './when.ts'

export function LiveView({ stats }: { stats: LiveStats }) {
  const { totals, status, timeline } = stats
  const errors = {
    name: 'Errors',
    value: percent(status['5xx'], totals.requests),
    note: `${fullLabel(status['5xx'], 'count')} with 5xx`,
  }
  return (
    <>
      <Figures
        figures={[...trafficFigures(totals, stats.truncated ? 'lists are a sample' : undefined), errors]}
      />
      <TrafficCharts
        per="hour"
        rows={timeline.map(row => ({ ...row, when: hourLabel(row.hour) }))}
        ticks={hourTicks(timeline.map(({ hour }) => hour))}
      />
      <div className={styles.pair}>
        <ShareBar title="Answers by status" shares={statusShares(status)} />
        <ShareBar title="Answers by cache result" shares={cacheShares(stats.cache)} />
        <Ranking
          title="Top paths"
          unit="requests"
          rows={stats.top_paths.map(({ path, requests, bytes }) => ({
            name: path,
            value: requests,
            note: formatBytes(bytes),
          }))}
          none="No paths."
        />
        <div className={styles.stack}>
          <Ranking
            title="Hostnames"
            unit="requests"
            rows={stats.hostnames.slice(0, 10).map(({ hostname, requests, bytes }) => ({
              name: hostname,
              value: requests,
              note: formatBytes(bytes),
            }))}
            none="No hosts."
          />
          <Ranking
            title="Countries"
            unit="requests"
            rows={stats.top_countries.map(({ country, requests }) => ({
              name: countryName(country),
              value: requests,
            }))}
            none="No countries."
          />
        </div>
      </div>
    </>
  )
}

const statusWords: readonly [keyof LiveStats['status'], string, Tone][] = [
  ['2xx', '2xx, delivered', 'green'],
  ['3xx', '3xx, redirected or unchanged', 'blue'],
  ['4xx', '4xx, refused or missing', 'amber'],
  ['5xx', '5xx, failed', 'red'],
  ['other', 'Others', 'grey'],
]

const statusShares = (status: LiveStats['status']): Share[] =>
  statusWords.map(([key, name, tone]) => ({ name, tone, value: status[key] }))

/** What is not here is called as the platform calls it. */
const cacheWords: Record<string, { name: string; tone: Tone }> = {
  HIT: { name: 'HIT, from the cache', tone: 'accent' },
  MISS: { name: 'MISS, from storage or the app', tone: 'blue' },
  STALE: { name: 'STALE, from the cache while it is renewed', tone: 'amber' },
  REVALIDATED: { name: 'REVALIDATED, from the cache once the app agreed', tone: 'green' },
  EXPIRED: { name: 'EXPIRED, renewed by the app', tone: 'violet' },
  BYPASS: { name: 'BYPASS, not for caches', tone: 'red' },
  NONE: { name: 'None, such as redirects', tone: 'grey' },
}

const cacheShares = (cache: LiveStats['cache']): Share[] =>
  Object.entries(cache).map(([result, value]) => ({
    value,
    ...(cacheWords[result] ?? { name: result, tone: 'grey' }),
  }))
