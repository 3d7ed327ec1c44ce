// Adds a scheduled job; its schedule is put into words while it is typed.
import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { RowSelect } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import { addCron } from './crons.ts'
import { explain } from './explain.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

export function NewCronDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const [schedule, setSchedule] = useState('')
  const [path, setPath] = useState('')
  const [method, setMethod] = useState<(typeof methods)[number]>('GET')

  async function run() {
    await addCron(project, { schedule, path, method })
    notify({ tone: 'ok', text: `${path} was scheduled.` })
    onClose()
  }

  return (
    <FormDialog
      title="Add a scheduled job"
      action="Add job"
      disabled={schedule.trim() === '' || path.trim() === ''}
      run={run}
      onClose={onClose}
    >
      <Field
        label="Schedule"
        name="schedule"
        look="mono"
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        placeholder="0 9 * * 1"
        value={schedule}
        hint={
          <span aria-live="polite">
            {explain(schedule) ?? 'Minute, hour, day of the month, month, day of the week, in UTC.'}
          </span>
        }
        onChange={event => setSchedule(event.target.value)}
      />
      <Field
        label="Path"
        name="path"
        look="mono"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
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
