// A project in the grid: a picture of its site, its state, and who deployed it last.
import type { ListedProject } from '@svc/contract'
import { Link } from 'wouter'
import { SitePicture } from '../../components/site-picture.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { href } from '../../paths.ts'
import { LastEvent } from './last-event.tsx'
import styles from './project-card.module.css'
import { SiteLink } from './site-link.tsx'
import { StarButton } from './star-button.tsx'
import { stateOf } from './state.ts'

export function ProjectCard({ project }: { project: ListedProject }) {
  const { name, org } = project
  const isPublic = project.access.mode === 'public'
  return (
    <li className={styles.card}>
      <SitePicture project={name} picture={isPublic ? project.live?.picture : null} />
      <div className={styles.words}>
        <p className={styles.name}>
          <Link href={href('/projects/:name', { name })}>{name}</Link>
          {org && <span className={styles.org}>{org}</span>}
        </p>
        <StarButton project={project} />
        <div className={styles.wide}>
          <SiteLink project={project} />
        </div>
        <div className={styles.when}>
          <LastEvent project={project} />
        </div>
        <StatusBadge status={stateOf(project)} />
      </div>
    </li>
  )
}
