// The logs of a project: what its server app writes, and the requests to its site.
import type { ProjectDetail } from '@svc/contract'
import { useParams } from 'wouter'
import { Segments } from '../../components/segments.tsx'
import { href } from '../../paths.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { AppLog } from './app-log.tsx'
import styles from './logs-page.module.css'
import { Requests } from './requests.tsx'
import { RequestsCommand } from './requests-command.tsx'

export function LogsPage() {
  const { view } = useParams<{ view?: string }>()
  return <ProjectLayout tab="Logs">{project => <Logs project={project} view={view} />}</ProjectLayout>
}

/** Without a view in the URL, a project with a server app opens on the log of the app. A static site has none. */
function Logs({ project, view }: { project: ProjectDetail; view: string | undefined }) {
  const { name, kind } = project
  const isApp = view === undefined ? kind === 'server' : view === 'app'
  const viewPath = (view: string) => href('/projects/:name/logs/:view', { name, view })
  return (
    <section aria-labelledby="logs" className={styles.page}>
      <header className={styles.views}>
        <h2 id="logs">Logs</h2>
        <Segments
          label="Logs"
          current={isApp ? 'App' : 'Requests'}
          links={[
            { label: 'App', href: viewPath('app') },
            { label: 'Requests', href: viewPath('requests') },
          ]}
        />
      </header>
      {isApp ? <AppLog key={name} project={project} /> : <Requests key={name} project={project} />}
      <p className={styles.foot}>
        From your terminal:{' '}
        <code>{isApp ? `svc logs -f --project ${name}` : <RequestsCommand project={name} />}</code>
      </p>
    </section>
  )
}
