import type { BuildStatus } from '@svc/contract'
import badge from '../../components/status-badge.module.css'

const statuses: Record<BuildStatus, { word: string; tone: string; title: string }> = {
  queued: { word: 'Queued', tone: 'grey', title: 'It waits for its turn' },
  building: { word: 'Building', tone: 'blue', title: 'It runs now' },
  succeeded: { word: 'Succeeded', tone: 'green', title: 'Its deployment is online' },
  failed: { word: 'Failed', tone: 'red', title: 'It did not go live' },
  cancelled: { word: 'Cancelled', tone: 'hollow', title: 'It was called off' },
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
