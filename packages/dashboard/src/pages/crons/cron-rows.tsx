// Scheduled jobs as rows: when they come, how the last run went, and what can be done with them.
import type { Cron } from '@svc/contract'
import { scheduleWords } from '@svc/contract/schedule-words'
import { Button, IconButton } from '../../components/button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { TimeAgo, useNow } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatMoment } from '../../format.ts'
import { useWork } from '../../use-work.ts'
import styles from './cron-rows.module.css'
import { changeCron, runCron } from './crons.ts'
import { untilWords } from './until.ts'

interface CronRowsProps {
  project: string
  crons: readonly Cron[]
  onRuns: (cron: Cron) => void
  onEdit: (cron: Cron) => void
  onRemove: (cron: Cron) => void
}

export function CronRows({ project, crons, onRuns, onEdit, onRemove }: CronRowsProps) {
  return (
    <Rows columns="minmax(0, 1fr) 13rem auto" end="below">
      {crons.map(cron => (
        <CronRow
          key={cron.id}
          project={project}
          cron={cron}
          onRuns={() => onRuns(cron)}
          onEdit={() => onEdit(cron)}
          onRemove={() => onRemove(cron)}
        />
      ))}
    </Rows>
  )
}

interface CronRowProps {
  project: string
  cron: Cron
  onRuns: () => void
  onEdit: () => void
  onRemove: () => void
}

function CronRow({ project, cron, onRuns, onEdit, onRemove }: CronRowProps) {
  const { id, schedule, path, method, enabled } = cron
  const { doing, run } = useWork()

  async function runNow() {
    const { status, error } = await runCron(project, id)
    const failed = status === null || status >= 400
    notify({ tone: failed ? 'error' : 'ok', text: error ?? `${path} answered with status ${status}.` })
  }

  return (
    <Row data-state={enabled ? undefined : 'off'}>
      <div>
        <p className={styles.path}>
          <span className={styles.method}>{method}</span> {path}
        </p>
        <p className={styles.schedule}>
          <code>{schedule}</code> {scheduleWords(schedule)}
        </p>
      </div>
      <div className={styles.when}>
        <Next cron={cron} />
        <button type="button" className={styles.last} onClick={onRuns}>
          <Last cron={cron} />
        </button>
      </div>
      <div className={styles.actions}>
        <Button size="small" busy={doing === 'run'} onClick={() => run(runNow, 'run')}>
          Run now
        </Button>
        <Button
          size="small"
          busy={doing === 'switch'}
          onClick={() => run(() => changeCron(project, id, { enabled: !enabled }), 'switch')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <IconButton size="small" icon="pencil" label={`Edit the job for ${path}`} onClick={onEdit} />
        <IconButton size="small" icon="trash" label={`Delete the job for ${path}`} onClick={onRemove} />
      </div>
    </Row>
  )
}

function Next({ cron: { enabled, next_run_at } }: { cron: Cron }) {
  const now = useNow()
  if (!enabled) return <p>Disabled</p>
  if (next_run_at === null) return <p>Never again</p>
  return (
    <p>
      Next{' '}
      <time dateTime={next_run_at} data-tip={formatMoment(next_run_at)}>
        {untilWords(next_run_at, now)}
      </time>
    </p>
  )
}

function Last({ cron: { last_run_at, last_status } }: { cron: Cron }) {
  if (last_run_at === null) return <>Has not run yet</>
  const failed = last_status === null || last_status >= 400
  return (
    <>
      Last <TimeAgo at={last_run_at} />,{' '}
      <span className={failed ? styles.failed : styles.passed}>{last_status ?? 'no answer'}</span>
    </>
  )
}
