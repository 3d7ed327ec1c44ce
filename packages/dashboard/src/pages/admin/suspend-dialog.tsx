import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import { suspend } from './suspensions.ts'

const kinds = [
  { value: 'project', title: 'A project' },
  { value: 'account', title: 'An account, with all its personal projects' },
] as const

const statuses = [
  { value: '503', title: '503, suspended' },
  { value: '451', title: '451, for legal reasons' },
] as const

export function SuspendDialog({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<'project' | 'account'>('project')
  const [status, setStatus] = useState<'451' | '503'>('503')
  const [name, setName] = useState('')
  const [reason, setReason] = useState('')
  async function run() {
    await suspend({ kind, name: name.trim(), status: status === '451' ? 451 : 503, reason: reason.trim() })
    notify({ tone: 'ok', text: `${name.trim()} is suspended.` })
    onClose()
  }
  return (
    <FormDialog title="Suspend" action="Suspend" look="danger" run={run} onClose={onClose}>
      <SelectField label="What" value={kind} options={kinds} onChoose={setKind} />
      <Field
        label={kind === 'project' ? 'Project' : 'Login'}
        required
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <SelectField label="Visitors get" value={status} options={statuses} onChoose={setStatus} />
      <Field
        label="Reason"
        required
        maxLength={500}
        autoComplete="off"
        value={reason}
        hint="Visitors and the owner read this. Nothing is deleted."
        onChange={event => setReason(event.target.value)}
      />
    </FormDialog>
  )
}
