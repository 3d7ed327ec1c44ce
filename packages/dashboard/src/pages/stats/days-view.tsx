// Traffic and audience by days.
import { AudienceLists } from './audience-lists.tsx'
import type { DailyStats } from './data.ts'
import { ShareBar } from './share-bar.tsx'
import { statusShares } from './statuses.ts'
import { Summary } from './summary.tsx'

interface DaysViewProps {
  stats: DailyStats
  before: string
  canFilter: boolean
}

export function DaysView({ stats: { summary, audience }, before, canFilter }: DaysViewProps) {
  return (
    <>
      <Summary summary={summary} before={before} />
      <AudienceLists audience={audience} canFilter={canFilter}>
        <ShareBar title="Answers by status" shares={statusShares(summary.status)} />
      </AudienceLists>
    </>
  )
}
