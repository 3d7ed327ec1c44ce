import type { BuildStatus } from '@svc/contract'
import badge from '../../components/status-badge.module.css'

const statuses: Record<BuildStatus, { word: string; tone: string; title: string }> = {
  queued: { word: 'Queued', tone: 'grey', title: 'Waiting for other builds to finish' },
  building: { word: 'Building', tone: 'blue', title: 'The build is running' },
  succeeded: { word: 'Succeeded', tone: 'green', title: 'The build is deployed' },
  failed: { word: 'Failed', tone: 'red', title: 'The build failed. Nothing was deployed' },
  cancelled: { word: 'Cancelled', tone: 'hollow', title: 'The build was cancelled' },
}

export function BuildStatusBadge({ status }: { status: BuildStatus }) {
  const { word, tone, title } = statuses[status]
  return (
    <span className={`${badge.badge} ${badge[tone]}`} data-tip={title}>
      <span className={badge.dot} aria-hidden="true" />
      {word}
    </span>
  )
}
