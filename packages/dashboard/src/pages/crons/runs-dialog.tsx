// The last runs of a scheduled job.
import type { Cron, CronRun } from '@svc/contract'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useRuns } from './crons.ts'
import styles from './runs-dialog.module.css'

export function RunsDialog({ project, cron, onClose }: { project: string; cron: Cron; onClose: () => void }) {
  return (
    <Dialog title={`Runs of ${cron.path}`} onClose={onClose}>
      <Loaded resource={useRuns(project, cron.id)} rows={3} label="Loading the runs">
        {runs =>
          runs.length > 0 ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too
            <ol className={styles.runs} tabIndex={0}>
              {runs.map(run => (
                <Run key={run.started_at} run={run} />
              ))}
            </ol>
          ) : (
            <p>It has not run yet.</p>
          )
        }
      </Loaded>
      <DialogActions>
        <Button look="primary" data-autofocus onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Run({ run: { started_at, duration_ms, status, error } }: { run: CronRun }) {
  const failed = status === null || status >= 400
  return (
    <li>
      <span className={failed ? styles.failed : styles.passed}>{status ?? 'no answer'}</span>
      <TimeAgo at={started_at} />
      <span className={styles.length}>{duration_ms} ms</span>
      {error && <span className={styles.error}>{error}</span>}
    </li>
  )
}
