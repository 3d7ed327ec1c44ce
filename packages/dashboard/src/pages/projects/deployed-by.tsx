import type { ListedProject } from '@svc/contract'
import { shownStatus } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'

const verbs: Record<ReturnType<typeof shownStatus> | 'none', string> = {
  live: 'Deployed',
  superseded: 'Deployed',
  branch: 'Preview deployed',
  uploading: 'Upload started',
  failed: 'Deploy failed',
  cancelled: 'Upload cancelled',
  none: 'Created',
}

interface DeployedByProps {
  deployment: ListedProject['last_deployment']
  createdAt: string
}

/** What happened last in a project, when, and by whom. */
export function DeployedBy({ deployment, createdAt }: DeployedByProps) {
  const verb = verbs[deployment ? shownStatus(deployment) : 'none']
  return (
    <>
      {verb} <TimeAgo at={deployment?.at ?? createdAt} />
      {deployment?.by && ` by ${deployment.by}`}
    </>
  )
}
