import type { Project } from '@svc/contract'
import { Link } from 'wouter'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { bareUrl } from '../../format.ts'
import styles from './project-rows.module.css'

function Row({ project }: { project: Project }) {
  const { name, org, url, active_deployment_id, created_at } = project
  return (
    <li className={styles.row}>
      <p className={styles.name}>
        <Link href={`/projects/${name}`}>{name}</Link>
        {org && <span className={styles.org}>{org}</span>}
      </p>
      <a href={url} target="_blank" rel="noreferrer" className={styles.url}>
        {bareUrl(url)}
      </a>
      <p className={styles.created}>
        Created <TimeAgo at={created_at} />
      </p>
      <StatusBadge status={active_deployment_id ? 'live' : 'none'} />
    </li>
  )
}

export function ProjectRows({ projects }: { projects: Project[] }) {
  return (
    <ul className={styles.rows}>
      {projects.map(project => (
        <Row key={project.id} project={project} />
      ))}
    </ul>
  )
}
