// Traffic and audience by days.
import styles from './analytics-page.module.css'
import { BarChart } from './bar-chart.tsx'
import { countryName } from './country-name.ts'
import type { DailyStats } from './data.ts'
import { Figures } from './figures.tsx'
import { Ranking } from './ranking.tsx'
import { fullLabel } from './scale.ts'
import { TrafficCharts, trafficFigures } from './traffic.tsx'
import { dayLabel, dayTicks } from './when.ts'

export function DaysView({ stats: { history, audience } }: { stats: DailyStats }) {
  const pageviews = { name: 'Pageviews', value: fullLabel(audience.totals.pageviews, 'count') }
  const ticks = dayTicks(history.timeline.map(({ day }) => day))
  return (
    <>
      <Figures figures={[pageviews, ...trafficFigures(history.totals)]} />
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
      <div className={styles.pair}>
        <TrafficCharts
          per="day"
          rows={history.timeline.map(row => ({ ...row, when: dayLabel(row.day) }))}
          ticks={ticks}
        />
        <Ranking
          title="Top pages"
          unit="views"
          rows={audience.top_pages.map(({ path, views }) => ({ name: path, value: views }))}
          none="Nobody has looked at a page yet. Bots and prefetches do not count."
        />
        <div className={styles.stack}>
          <Ranking
            title="Referrers"
            unit="views"
            rows={audience.top_referrers.map(({ referrer, views }) => ({ name: referrer, value: views }))}
            none="Nobody came from another site."
          />
          <Ranking
            title="Countries of visitors"
            unit="views"
            rows={audience.top_countries.map(({ country, views }) => ({
              name: countryName(country),
              value: views,
            }))}
            none="No visitors yet."
          />
        </div>
      </div>
    </>
  )
}
