// What visitors see now: a picture of the site, its URLs, what was deployed, and the way back.
import type { Deployment, ProjectDetail } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../components/button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { Icon } from '../../components/icon.tsx'
import { Warnings } from '../../components/notice.tsx'
import { SitePicture } from '../../components/site-picture.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { bareUrl, formatCount } from '../../format.ts'
import { RevalidateDialog } from '../apps/revalidate-dialog.tsx'
import { urlOf } from '../domains/domains.ts'
import { activate } from '../projects/project/detail.ts'
import { Visitors } from '../stats/visitors.tsx'
import styles from './active-deployment.module.css'
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
  const { name, app, access, picture } = project
  const { id, url, file_count, size_bytes, warnings } = deployment
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
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className={styles.id}
          data-tip="Permanent URL of this deployment"
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
      <div className={styles.parts}>
        <SitePicture
          project={name}
          url={url}
          picture={access.mode === 'public' ? picture : null}
          mayFrame={access.mode === 'public' && (app === null || app.state === 'running')}
        />
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

/** Where production is served: the primary domain first, then other domains, then the URL that the platform gave. */
function SiteUrls({ project: { url, domains } }: { project: ProjectDetail }) {
  const own = domains
    .filter(({ branch, redirect_to }) => branch === null && redirect_to === null)
    .sort((one, other) => Number(other.primary) - Number(one.primary))
    .map(urlOf)
  return (
    <span className={styles.urls}>
      {[...own, url].map(each => (
        <a key={each} href={each} target="_blank" rel="noreferrer">
          {bareUrl(each)}
        </a>
      ))}
    </span>
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
  return (
    <p className={styles.previous}>
      <span>
        <span className={styles.quiet}>Previous: </span>
        <Link href={`/projects/${project.name}/deployments/${id}`} className={styles.id}>
          {id}
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
