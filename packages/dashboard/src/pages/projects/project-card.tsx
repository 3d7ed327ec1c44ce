// A project in the grid: a picture of its site, its state, and who deployed it last.
import type { ListedProject } from '@svc/contract'
import { Link } from 'wouter'
import { IconButton } from '../../components/button.tsx'
import { SitePicture } from '../../components/site-picture.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { bareUrl } from '../../format.ts'
import { DeployedBy } from './deployed-by.tsx'
import styles from './project-card.module.css'
import { failedBuild, stateOf } from './state.ts'

interface ProjectCardProps {
  project: ListedProject
  onStar: (starred: boolean) => void
}

export function ProjectCard({ project, onStar }: ProjectCardProps) {
  const { name, org, starred } = project
  const url = project.primary_url ?? project.url
  return (
    <li className={styles.card}>
      <Picture project={project} />
      <div className={styles.words}>
        <p className={styles.name}>
          <Link href={`/projects/${name}`}>{name}</Link>
          {org && <span className={styles.org}>{org}</span>}
        </p>
        <IconButton
          size="small"
          icon="star"
          label={starred ? `Remove the star from ${name}` : `Star ${name}`}
          aria-pressed={starred}
          className={starred ? `${styles.star} ${styles.starred}` : styles.star}
          onClick={() => onStar(!starred)}
        />
        <a href={url} target="_blank" rel="noreferrer" className={styles.url}>
          {bareUrl(url)}
        </a>
        <p className={styles.when}>
          <LastEvent project={project} />
        </p>
        <StatusBadge status={stateOf(project)} />
      </div>
    </li>
  )
}

/** A failure leads to its log. */
function LastEvent({ project }: { project: ListedProject }) {
  const { name, last_deployment: last, created_at } = project
  const build = failedBuild(project)
  if (build)
    return (
      <Link href={`/projects/${name}/git/${build.id}`}>
        Build of {build.branch} failed <TimeAgo at={build.at} />
      </Link>
    )
  const words = <DeployedBy deployment={last} createdAt={created_at} />
  if (last?.status !== 'failed') return words
  return <Link href={`/projects/${name}/deployments/${last.id}`}>{words}</Link>
}

/** A letter stands in for a site that cannot be framed: a frame would ask for a password, or wake a sleeping app. */
function Picture({ project: { name, live, access } }: { project: ListedProject }) {
  const isPublic = live !== null && access.mode === 'public'
  if (isPublic && (live.picture || live.kind === 'static'))
    return (
      <SitePicture project={name} url={live.url} picture={live.picture} mayFrame={live.kind === 'static'} />
    )
  return (
    <div className={styles.letter} aria-hidden="true">
      {name.charAt(0).toUpperCase()}
    </div>
  )
}
