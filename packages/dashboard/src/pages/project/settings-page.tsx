import type { ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { DeleteProjectDialog } from './delete-project-dialog.tsx'
import { ProjectLayout } from './project-layout.tsx'
import styles from './settings-page.module.css'

export function ProjectSettingsPage() {
  return <ProjectLayout tab="Settings">{project => <Settings project={project} />}</ProjectLayout>
}

function Settings({ project }: { project: ProjectDetail }) {
  const [deleting, setDeleting] = useState(false)
  return (
    <div className={styles.parts}>
      <section className={styles.card} aria-labelledby="about">
        <h2 id="about">About</h2>
        <dl className={styles.facts}>
          <dt>Id</dt>
          <dd className={styles.mono}>{project.id}</dd>
          <dt>Address</dt>
          <dd>{project.url}</dd>
          <dt>Owner</dt>
          <dd>{project.org ?? 'You'}</dd>
          <dt>Created</dt>
          <dd>
            <TimeAgo at={project.created_at} />
          </dd>
        </dl>
      </section>
      <section className={styles.card} aria-labelledby="delete">
        <h2 id="delete">Delete project</h2>
        <div className={styles.danger}>
          <p>The site goes offline, and all deployments and settings are removed for good.</p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete project
          </Button>
        </div>
      </section>
      {deleting && <DeleteProjectDialog project={project} onClose={() => setDeleting(false)} />}
    </div>
  )
}
