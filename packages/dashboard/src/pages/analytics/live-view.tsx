// Traffic of the last hours, as it comes.
import { formatBytes } from '../../format.ts'
import styles from './analytics-page.module.css'
import { BarChart } from './bar-chart.tsx'
import { countryName } from './country-name.ts'
import type { LiveStats } from './data.ts'
import { Figures } from './figures.tsx'
import { Ranking } from './ranking.tsx'
import { fullLabel, percent } from './scale.ts'
import { type Share, ShareBar, type Tone } from './share-bar.tsx'
import { hourLabel, hourTicks } from './when.ts'

export function LiveView({ stats }: { stats: LiveStats }) {
  const { totals, status, timeline } = stats
  const errors = status['4xx'] + status['5xx']
  const ticks = hourTicks(timeline.map(({ hour }) => hour))
  return (
    <>
      <Figures
        figures={[
          {
            name: 'Requests',
            value: fullLabel(totals.requests, 'count'),
            ...(stats.truncated && { note: 'lists are a sample' }),
          },
          { name: 'Bandwidth', value: formatBytes(totals.bytes) },
          { name: 'From cache', value: percent(totals.cache_hits, totals.requests) },
          {
            name: 'Errors',
            value: percent(errors, totals.requests),
            note: `4xx ${fullLabel(status['4xx'], 'count')} · 5xx ${fullLabel(status['5xx'], 'count')}`,
          },
        ]}
      />
      <div className={styles.panel}>
        <BarChart
          title="Requests per hour"
          whole="requests"
          part="from cache"
          bars={timeline.map(row => ({
            when: hourLabel(row.hour),
            whole: row.requests,
            part: row.cache_hits,
          }))}
          ticks={ticks}
        />
      </div>
      <div className={styles.panel}>
        <BarChart
          title="Bandwidth per hour"
          whole="sent"
          unit="bytes"
          bars={timeline.map(row => ({ when: hourLabel(row.hour), whole: row.bytes }))}
          ticks={ticks}
        />
      </div>
      <div className={styles.pair}>
        <div className={styles.panel}>
          <ShareBar title="Answers by status" shares={statusShares(status)} />
        </div>
        <div className={styles.panel}>
          <ShareBar title="Answers by cache result" shares={cacheShares(stats.cache)} />
        </div>
        <div className={styles.panel}>
          <Ranking
            title="Top paths"
            unit="requests"
            rows={stats.top_paths.map(row => ({
              name: row.path,
              value: row.requests,
              note: formatBytes(row.bytes),
            }))}
            none="No paths."
          />
        </div>
        <div className={styles.stack}>
          <div className={styles.panel}>
            <Ranking
              title="Hostnames"
              unit="requests"
              rows={stats.hostnames.slice(0, 10).map(row => ({
                name: row.hostname,
                value: row.requests,
                note: formatBytes(row.bytes),
              }))}
              none="No hosts."
            />
          </div>
          <div className={styles.panel}>
            <Ranking
              title="Countries"
              unit="requests"
              rows={stats.top_countries.map(row => ({ name: countryName(row.country), value: row.requests }))}
              none="No countries."
            />
          </div>
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
