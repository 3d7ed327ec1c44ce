// A project in the grid: a picture of its site, its state, and who deployed it last.
import type { ListedProject } from '@svc/contract'
import { Link } from 'wouter'
import { IconButton } from '../../components/button.tsx'
import { SitePicture } from '../../components/site-picture.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { bareUrl } from '../../format.ts'
import { href } from '../../paths.ts'
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
  const isPublic = project.access.mode === 'public'
  return (
    <li className={styles.card}>
      <SitePicture project={name} picture={isPublic ? project.live?.picture : null} />
      <div className={styles.words}>
        <p className={styles.name}>
          <Link href={href('/projects/:name', { name })}>{name}</Link>
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
      <Link href={href('/projects/:name/git/:build', { name, build: build.id })}>
        Build of {build.branch} failed <TimeAgo at={build.at} />
      </Link>
    )
  const words = <DeployedBy deployment={last} createdAt={created_at} />
  if (last?.status !== 'failed') return words
  return (
    <Link href={href('/projects/:name/deployments/:deployment', { name, deployment: last.id })}>{words}</Link>
  )
}
