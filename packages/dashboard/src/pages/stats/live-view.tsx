// Traffic of the last hours, as it comes.
import { formatBytes } from '@svc/contract/bytes'
import styles from './analytics-page.module.css'
import { countryName } from './country-name.ts'
import type { LiveStats } from './data.ts'
import { Ranking } from './ranking.tsx'
import { type Share, ShareBar, type Tone } from './share-bar.tsx'
import { statusShares } from './statuses.ts'
import { Summary } from './summary.tsx'

export function LiveView({ stats: { live, summary }, before }: { stats: LiveStats; before: string }) {
  return (
    <>
      <Summary summary={summary} before={before} />
      {live.truncated && (
        <p className={styles.source}>
          The lists below are a sample, because there were very many requests. The numbers above are exact.
        </p>
      )}
      <div className={styles.pair}>
        <ShareBar title="Answers by status" shares={statusShares(live.status)} />
        <ShareBar title="Answers by cache result" shares={cacheShares(live.cache)} />
        <Ranking
          title="Top paths"
          unit="requests"
          rows={live.top_paths.map(({ path, requests, bytes }) => ({
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
            rows={live.hostnames.slice(0, 10).map(({ hostname, requests, bytes }) => ({
              name: hostname,
              value: requests,
              note: formatBytes(bytes),
            }))}
            none="No hosts."
          />
          <Ranking
            title="Countries"
            unit="requests"
            rows={live.top_countries.map(({ country, requests }) => ({
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

/** Any other result is shown under its own name. */
const cacheWords: Record<string, { name: string; tone: Tone }> = {
  HIT: { name: 'HIT, from the cache', tone: 'accent' },
  MISS: { name: 'MISS, from storage or the app', tone: 'blue' },
  STALE: { name: 'STALE, from the cache while it is renewed', tone: 'amber' },
  REVALIDATED: { name: 'REVALIDATED, from the cache once the app agreed', tone: 'green' },
  EXPIRED: { name: 'EXPIRED, renewed by the app', tone: 'violet' },
  BYPASS: { name: 'BYPASS, not for caches', tone: 'red' },
  NONE: { name: 'None, such as redirects', tone: 'grey' },
}

const cacheShares = (cache: LiveStats['live']['cache']): Share[] =>
  Object.entries(cache).map(([result, value]) => ({
    value,
    ...(cacheWords[result] ?? { name: result, tone: 'grey' }),
  }))
