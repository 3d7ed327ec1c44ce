// Adds or edits a scheduled job. The schedule is put into words, with its next five runs, while it is typed.
import type { Cron } from '@svc/contract'
import { scheduleWords } from '@svc/contract/schedule-words'
import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { RowSelect } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import styles from './cron-dialog.module.css'
import { addCron, changeCron } from './crons.ts'
import { NextRuns, useNextRuns } from './next-runs.tsx'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

const presets = [
  { title: 'Every 5 minutes', schedule: '*/5 * * * *' },
  { title: 'Hourly', schedule: '0 * * * *' },
  { title: 'Daily', schedule: '0 9 * * *' },
  { title: 'Weekdays', schedule: '0 9 * * 1-5' },
  { title: 'Weekly', schedule: '0 9 * * 1' },
  { title: 'Monthly', schedule: '0 9 1 * *' },
]

interface CronDialogProps {
  project: string
  /** The job to edit. Without it, the dialog adds one. */
  cron?: Cron
  onClose: () => void
}

export function CronDialog({ project, cron, onClose }: CronDialogProps) {
  const [schedule, setSchedule] = useState(cron?.schedule ?? '')
  const [path, setPath] = useState(cron?.path ?? '')
  const [method, setMethod] = useState(cron?.method ?? 'GET')
  const { runs, problem } = useNextRuns(project, schedule)

  async function run() {
    const body = { schedule, path, method }
    await (cron ? changeCron(project, cron.id, body) : addCron(project, body))
    notify({ tone: 'ok', text: cron ? `The job for ${path} was saved.` : `${path} was scheduled.` })
    onClose()
  }

  return (
    <FormDialog
      title={cron ? 'Edit scheduled job' : 'Add a scheduled job'}
      action={cron ? 'Save job' : 'Add job'}
      disabled={schedule.trim() === '' || path.trim() === '' || problem !== undefined}
      run={run}
      onClose={onClose}
    >
      <Field
        label="Schedule"
        name="schedule"
        look="mono"
        data-autofocus
        placeholder="0 9 * * 1"
        value={schedule}
        error={problem}
        hint={
          <span aria-live="polite">
            {scheduleWords(schedule) ?? 'Minute, hour, day of the month, month, day of the week, in UTC.'}
          </span>
        }
        onChange={event => setSchedule(event.target.value)}
      />
      <fieldset className={styles.presets}>
        <legend className="visually-hidden">Presets</legend>
        {presets.map(preset => (
          <button
            key={preset.schedule}
            type="button"
            className={styles.preset}
            aria-pressed={schedule.trim() === preset.schedule}
            onClick={() => setSchedule(preset.schedule)}
          >
            {preset.title}
          </button>
        ))}
      </fieldset>
      {runs && <NextRuns runs={runs} />}
      <Field
        label="Path"
        name="path"
        look="mono"
        placeholder="/api/report"
        value={path}
        addon={
          <RowSelect
            label="Method"
            value={method}
            options={methods.map(value => ({ value, title: value }))}
            onChoose={setMethod}
          />
        }
        onChange={event => setPath(event.target.value.trim())}
      />
    </FormDialog>
  )
}
