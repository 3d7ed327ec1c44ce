// The server app of the live deployment: what it was made with, what it does now, and a restart.
import type { AppState, Deployment } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { call } from '../../api.ts'
import { usePolling } from '../../changes.ts'
import { Button } from '../../components/button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWork } from '../../use-work.ts'
import card from '../deployments/live-card.module.css'
import styles from './server-app.module.css'

interface ServerAppProps {
  project: string
  deployment: Deployment
  app: AppState
  refresh: () => Promise<void>
}

/** What it does, and what happened when that began. */
const states: Record<AppState['state'], { words: string; began: string }> = {
  running: { words: 'Running', began: 'started' },
  starting: { words: 'Starting', began: 'began' },
  stopped: { words: 'Asleep', began: 'stopped' },
  crashed: { words: 'Crashed', began: '' },
}

const measuredMs = 15_000

const usageFacts = ({ memory_bytes, cpu_cores }: NonNullable<AppState['usage']>): Fact[] => [
  { label: 'Memory', value: formatBytes(memory_bytes) },
  { label: 'CPU', value: cpu_cores === null ? '…' : `${Math.round(cpu_cores * 100)} % of a core` },
]

export function ServerApp({ project, deployment, app, refresh }: ServerAppProps) {
  const { words, began } = states[app.state]
  usePolling(app.state === 'running', refresh, measuredMs)
  return (
    <section className={card.card} aria-label="Server app">
      <div className={card.head}>
        <span className={styles.state} data-state={app.state}>
          {words}
        </span>
        {app.since && (
          <span className={styles.since}>
            {began} <TimeAgo at={app.since} />
          </span>
        )}
        <RestartButton project={project} isUp={app.state === 'running'} refresh={refresh} />
      </div>
      <Facts
        facts={[
          { label: 'Made with', value: deployment.framework },
          { label: 'Starts with', value: <code>{deployment.start_command}</code> },
          ...(app.usage ? usageFacts(app.usage) : []),
        ]}
      />
      {app.state === 'stopped' && <p className={styles.note}>The next request starts it.</p>}
      {app.error && <pre className={styles.error}>{app.error}</pre>}
      {app.restart?.state === 'starting' && (
        <p className={styles.note}>Restarting. The new instance takes over when it is ready.</p>
      )}
      {app.restart?.state === 'failed' && (
        <>
          <p className={styles.note} role="alert">
            The last restart failed. The instance from before keeps running, with the variables that it was
            started with. The next start would fail, too: change the variables or deploy again.
          </p>
          {app.restart.error && <pre className={styles.error}>{app.restart.error}</pre>}
        </>
      )}
    </section>
  )
}

function RestartButton({
  project,
  isUp,
  refresh,
}: Pick<ServerAppProps, 'project' | 'refresh'> & { isUp: boolean }) {
  const { busy, run } = useWork()
  if (!isUp) return null

  async function restart() {
    await call('POST /projects/:name/restart', { params: { name: project } })
    notify({ tone: 'ok', text: 'The app restarts. Visitors notice nothing.' })
    await refresh()
  }

  return (
    <Button size="small" icon="rollback" busy={busy} className={card.action} onClick={() => run(restart)}>
      Restart
    </Button>
  )
}
