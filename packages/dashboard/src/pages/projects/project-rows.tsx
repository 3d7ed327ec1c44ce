import type { Project } from '@svc/contract'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon } from '../../components/icon.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { bareUrl } from '../../format.ts'
import styles from './project-rows.module.css'

function Row({ project }: { project: Project }) {
  const { name, org, url, active_deployment_id, created_at } = project
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <Link href={`/projects/${name}`} className={styles.name}>
          {name}
        </Link>
        {org && <span className={styles.org}>{org}</span>}
        <a href={url} target="_blank" rel="noreferrer" className={styles.url}>
          {bareUrl(url)}
          <Icon name="arrowUpRight" size={13} />
        </a>
      </div>
      <p className={styles.created}>
        Created <TimeAgo at={created_at} />
      </p>
      <StatusBadge status={active_deployment_id ? 'live' : 'none'} />
    </li>
  )
}

export function ProjectRows({ projects, children }: { projects: Project[]; children: ReactNode }) {
  return (
    <>
      <ul className={styles.rows}>
        {projects.map(project => (
          <Row key={project.id} project={project} />
        ))}
      </ul>
      <div className={styles.more}>{children}</div>
    </>
  )
}
