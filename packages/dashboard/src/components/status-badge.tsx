import type { DeploymentStatus } from '@svc/contract'
import styles from './status-badge.module.css'

const statuses: Record<DeploymentStatus | 'none', { word: string; tone: string; title: string }> = {
  live: { word: 'Live', tone: 'green', title: 'This is what visitors see' },
  superseded: { word: 'Superseded', tone: 'grey', title: 'An earlier version, ready to be rolled back to' },
  uploading: { word: 'Uploading', tone: 'blue', title: 'Files are arriving' },
  failed: { word: 'Failed', tone: 'red', title: 'It did not go live' },
  branch: { word: 'Branch', tone: 'violet', title: 'Served at the URL of its branch' },
  none: { word: 'Empty', tone: 'hollow', title: 'Nothing was deployed yet' },
}

export function StatusBadge({ status }: { status: DeploymentStatus | 'none' }) {
  const { word, tone, title } = statuses[status]
  return (
    <span className={`${styles.badge} ${styles[tone]}`} title={title}>
      <span className={styles.dot} aria-hidden="true" />
      {word}
    </span>
  )
}
