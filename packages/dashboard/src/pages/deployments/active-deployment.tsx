import type { Deployment } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../format.ts'
import { RevalidateDialog } from '../apps/revalidate-dialog.tsx'
import styles from './active-deployment.module.css'
import { GitRef } from './git-ref.tsx'
import card from './live-card.module.css'

/** What visitors see now. */
export function ActiveDeployment({ project, deployment }: { project: string; deployment: Deployment }) {
  const [revalidating, setRevalidating] = useState(false)
  const { id, created_at, created_by, file_count, size_bytes, warnings } = deployment
  const facts = [
    {
      label: 'Deployed',
      value: (
        <>
          <TimeAgo at={created_at} />
          {created_by && ` by ${created_by}`}
        </>
      ),
    },
    file_count !== null && { label: 'Files', value: formatCount(file_count, 'file') },
    size_bytes !== null && { label: 'Size', value: formatBytes(size_bytes) },
    (deployment.git_sha || deployment.git_branch) && { label: 'Source', value: <GitRef of={deployment} /> },
  ].filter(fact => typeof fact === 'object' && fact !== null)
  return (
    <section className={card.card} aria-label="Live deployment">
      <div className={card.head}>
        <StatusBadge status="live" />
        <a
          href={deployment.url}
          target="_blank"
          rel="noreferrer"
          className={styles.id}
          title="Its permanent address"
        >
          {id}
          <Icon name="arrowUpRight" size={13} />
        </a>
        {deployment.kind === 'server' && (
          <Button size="small" className={card.action} onClick={() => setRevalidating(true)}>
            Revalidate pages
          </Button>
        )}
      </div>
      <Facts facts={facts} />
      {warnings.length > 0 && (
        <Notice tone="warning">
          {warnings.map(warning => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
      {revalidating && <RevalidateDialog project={project} onClose={() => setRevalidating(false)} />}
    </section>
  )
}
