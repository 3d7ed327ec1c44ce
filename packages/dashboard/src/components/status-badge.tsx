import type { Deployment, DeploymentStatus } from '@svc/contract'
import { uploadEndedEarly } from '@svc/contract/site'
import styles from './status-badge.module.css'

const statuses: Record<
  DeploymentStatus | 'none' | 'cancelled' | 'build-failed' | 'deploy-failed',
  { word: string; tone: string; title: string }
> = {
  live: { word: 'Live', tone: 'green', title: 'This is what visitors see' },
  superseded: { word: 'Superseded', tone: 'grey', title: 'An earlier version, ready to be rolled back to' },
  uploading: { word: 'Uploading', tone: 'blue', title: 'Files are arriving' },
  failed: { word: 'Failed', tone: 'red', title: 'This deployment failed. Nothing was published' },
  'build-failed': {
    word: 'Build failed',
    tone: 'red',
    title: 'The last build failed. What was live before stays live',
  },
  'deploy-failed': {
    word: 'Deploy failed',
    tone: 'red',
    title: 'The last deployment failed. What was live before stays live',
  },
  cancelled: { word: 'Cancelled', tone: 'grey', title: 'The upload ended before all files had arrived' },
  branch: { word: 'Preview', tone: 'violet', title: 'Served at the URL of its branch' },
  none: { word: 'Empty', tone: 'hollow', title: 'Nothing was deployed yet' },
}

export type ShownStatus = keyof typeof statuses

/** An upload that its sender cancelled did not fail. */
export const shownStatus = ({
  status,
  error,
}: Pick<Deployment, 'status' | 'error'>): DeploymentStatus | 'cancelled' =>
  status === 'failed' && error === uploadEndedEarly ? 'cancelled' : status

export function StatusBadge({ status }: { status: ShownStatus }) {
  const { word, tone, title } = statuses[status]
  return (
    <span className={`${styles.badge} ${styles[tone]}`} data-tip={title}>
      <span className={styles.dot} aria-hidden="true" />
      {word}
    </span>
  )
}
