// The last runs of a scheduled job.
import type { Cron, CronRun } from '@svc/contract'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useRuns } from './crons.ts'
import styles from './runs-dialog.module.css'

export function RunsDialog({ project, cron, onClose }: { project: string; cron: Cron; onClose: () => void }) {
  const { data: runs, error } = useRuns(project, cron.id)
  return (
    <Dialog title={`Runs of ${cron.path}`} onClose={onClose}>
      {error !== undefined && <Notice tone="error">{explain(error)}</Notice>}
      {runs?.length === 0 && <p>It has not run yet.</p>}
      {runs && runs.length > 0 && (
        <ol className={styles.runs}>
          {runs.map(run => (
            <Run key={run.started_at} run={run} />
          ))}
        </ol>
      )}
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
