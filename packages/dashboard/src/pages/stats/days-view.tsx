// Traffic and audience by days.
import styles from './analytics-page.module.css'
import { countryName } from './country-name.ts'
import type { DailyStats } from './data.ts'
import { Ranking } from './ranking.tsx'
import { ShareBar } from './share-bar.tsx'
import { statusShares } from './statuses.ts'
import { Summary } from './summary.tsx'

export function DaysView({ stats: { summary, audience }, before }: { stats: DailyStats; before: string }) {
  return (
    <>
      <Summary summary={summary} before={before} />
      <div className={styles.pair}>
        <Views
          title="Top pages"
          names={audience.top_pages.map(({ path, views }) => ({ name: path, value: views }))}
          none="Nobody has looked at a page yet. Bots and prefetches do not count."
        />
        <Views
          title="Referrers"
          names={audience.top_referrers.map(({ referrer, views }) => ({ name: referrer, value: views }))}
          none="Nobody came from another site."
        />
      </div>
      <div className={styles.three}>
        <Views
          title="Devices"
          names={audience.top_devices.map(({ device, views }) => ({ name: device, value: views }))}
        />
        <Views
          title="Browsers"
          names={audience.top_browsers.map(({ browser, views }) => ({ name: browser, value: views }))}
        />
        <Views
          title="Operating systems"
          names={audience.top_systems.map(({ system, views }) => ({ name: system, value: views }))}
        />
      </div>
      <div className={styles.pair}>
        <Views
          title="Countries"
          names={audience.top_countries.map(({ country, views }) => ({
            name: countryName(country),
            value: views,
          }))}
        />
        <ShareBar title="Answers by status" shares={statusShares(summary.status)} />
      </div>
    </>
  )
}

interface ViewsProps {
  title: string
  names: { name: string; value: number }[]
  none?: string
}

const Views = ({ title, names, none = 'No page views yet.' }: ViewsProps) => (
  <Ranking title={title} unit="views" rows={names} none={none} />
)
