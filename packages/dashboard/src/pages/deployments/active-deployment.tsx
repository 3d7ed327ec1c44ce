// What visitors see now: a picture of the site, its URLs, what was deployed, and the way back.
import type { Deployment, ProjectDetail } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { Warnings } from '../../components/notice.tsx'
import { SitePicture } from '../../components/site-picture.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { RevalidateDialog } from '../apps/revalidate-dialog.tsx'
import { SiteUrls } from '../domains/site-urls.tsx'
import { activate } from '../projects/project/detail.ts'
import { Visitors } from '../stats/visitors.tsx'
import styles from './active-deployment.module.css'
import { DeploymentLinks } from './deployment-links.tsx'
import { useDeployment } from './history.ts'
import card from './live-card.module.css'
import { Source } from './source.tsx'

interface ActiveDeploymentProps {
  project: ProjectDetail
  deployment: Deployment
  refresh: () => Promise<void>
}

export function ActiveDeployment({ project, deployment, refresh }: ActiveDeploymentProps) {
  const [revalidating, setRevalidating] = useState(false)
  const { name, access, picture } = project
  const { id, file_count, size_bytes, warnings } = deployment
  const message = deployment.commit_message?.split('\n')[0]
  const { data: detail } = useDeployment(name, id)
  const contents = [
    file_count !== null && formatCount(file_count, 'file'),
    size_bytes !== null && formatBytes(size_bytes),
  ].filter(Boolean)
  const facts: Fact[] = [
    { label: 'URLs', value: <SiteUrls project={project} />, isLong: true },
    {
      label: 'Deployed',
      value: (
        <>
          <TimeAgo at={deployment.created_at} />
          {deployment.created_by && ` by ${deployment.created_by}`}
        </>
      ),
    },
    { label: 'Source', value: <Source deployment={detail ?? deployment} /> },
    ...(contents.length > 0 ? [{ label: 'Contents', value: contents.join(', ') }] : []),
    { label: 'Visitors', value: <Visitors project={name} /> },
  ]
  return (
    <section className={styles.card} aria-label="Live deployment">
      <div className={card.head}>
        <StatusBadge status="live" />
        <div className={styles.title}>
          {message && (
            <Link
              className={styles.message}
              href={href('/projects/:name/deployments/:deployment', { name, deployment: id })}
            >
              {message}
            </Link>
          )}
          <DeploymentLinks project={name} deployment={deployment} />
        </div>
        {deployment.kind === 'server' && (
          <Button size="small" className={card.action} onClick={() => setRevalidating(true)}>
            Revalidate pages
          </Button>
        )}
      </div>
      <div className={styles.parts}>
        <SitePicture project={name} picture={access.mode === 'public' ? picture : null} />
        <div className={styles.facts}>
          <Facts facts={facts} />
          {detail?.previous_id && <Previous project={project} id={detail.previous_id} refresh={refresh} />}
        </div>
      </div>
      <Warnings warnings={warnings} />
      {revalidating && <RevalidateDialog project={name} onClose={() => setRevalidating(false)} />}
    </section>
  )
}

/** Names the deployment that was live before, and makes it live again. */
function Previous({
  project,
  id,
  refresh,
}: Pick<ActiveDeploymentProps, 'project' | 'refresh'> & { id: string }) {
  const { data } = useDeployment(project.name, id)
  const isKept = data?.status === 'superseded'
  if (!isKept) return null
  const message = data.commit_message?.split('\n')[0]
  return (
    <p className={styles.previous}>
      <span>
        <span className={styles.quiet}>Previous: </span>
        <Link
          href={href('/projects/:name/deployments/:deployment', { name: project.name, deployment: id })}
          className={message ? styles.message : styles.id}
        >
          {message || id}
        </Link>
        <span className={styles.quiet}>
          , <TimeAgo at={data.created_at} />
        </span>
      </span>
      <Button
        size="small"
        icon="rollback"
        data-tip={`Make ${id} live again`}
        onClick={() => void activate(project, id, refresh)}
      >
        Roll back
      </Button>
    </p>
  )
}
