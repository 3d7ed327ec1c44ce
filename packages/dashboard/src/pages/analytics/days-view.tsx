// Traffic and audience by days.
import { formatBytes } from '../../format.ts'
import styles from './analytics-page.module.css'
import { BarChart } from './bar-chart.tsx'
import { countryName } from './country-name.ts'
import type { DailyStats } from './data.ts'
import { Figures } from './figures.tsx'
import { Ranking } from './ranking.tsx'
import { fullLabel, percent } from './scale.ts'
import { dayLabel, dayTicks } from './when.ts'

export function DaysView({ stats: { history, audience } }: { stats: DailyStats }) {
  const { totals } = history
  const ticks = dayTicks(history.timeline.map(({ day }) => day))
  return (
    <>
      <Figures
        figures={[
          { name: 'Pageviews', value: fullLabel(audience.totals.pageviews, 'count') },
          { name: 'Requests', value: fullLabel(totals.requests, 'count') },
          { name: 'Bandwidth', value: formatBytes(totals.bytes) },
          { name: 'From cache', value: percent(totals.cache_hits, totals.requests) },
        ]}
      />
      <div className={styles.panel}>
        <BarChart
          title="Pageviews and visitors per day"
          whole="pageviews"
          part="visitors"
          bars={audience.timeline.map(row => ({
            when: dayLabel(row.day),
            whole: row.pageviews,
            part: row.visitors,
          }))}
          ticks={ticks}
        />
      </div>
      <div className={styles.pair}>
        <div className={styles.panel}>
          <BarChart
            title="Requests per day"
            whole="requests"
            part="from cache"
            bars={history.timeline.map(row => ({
              when: dayLabel(row.day),
              whole: row.requests,
              part: row.cache_hits,
            }))}
            ticks={ticks}
          />
        </div>
        <div className={styles.panel}>
          <BarChart
            title="Bandwidth per day"
            whole="sent"
            unit="bytes"
            bars={history.timeline.map(row => ({ when: dayLabel(row.day), whole: row.bytes }))}
            ticks={ticks}
          />
        </div>
        <div className={styles.panel}>
          <Ranking
            title="Top pages"
            unit="views"
            rows={audience.top_pages.map(row => ({ name: row.path, value: row.views }))}
            none="Nobody has looked at a page yet. Bots and prefetches do not count."
          />
        </div>
        <div className={styles.stack}>
          <div className={styles.panel}>
            <Ranking
              title="Referrers"
              unit="views"
              rows={audience.top_referrers.map(row => ({ name: row.referrer, value: row.views }))}
              none="Nobody came from another site."
            />
          </div>
          <div className={styles.panel}>
            <Ranking
              title="Countries of visitors"
              unit="views"
              rows={audience.top_countries.map(row => ({ name: countryName(row.country), value: row.views }))}
              none="No visitors yet."
            />
          </div>
        </div>
      </div>
    </>
  )
}
