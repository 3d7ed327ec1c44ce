// A project in a list: what the card says, in one line.
import type { ListedProject } from '@svc/contract'
import { Row, RowLink } from '../../components/rows.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { href } from '../../paths.ts'
import { LastEvent } from './last-event.tsx'
import styles from './project-row.module.css'
import { SiteLink } from './site-link.tsx'
import { StarButton } from './star-button.tsx'
import { stateOf } from './state.ts'

export const rowColumns = 'minmax(0, 1.2fr) 7rem minmax(0, 1fr) auto'

export function ProjectRow({ project }: { project: ListedProject }) {
  const { name } = project
  return (
    <Row opens>
      <div className={styles.names}>
        <RowLink href={href('/projects/:name', { name })}>{name}</RowLink>
        <SiteLink project={project} />
      </div>
      <StatusBadge status={stateOf(project)} />
      <LastEvent project={project} />
      <StarButton project={project} />
    </Row>
  )
}
