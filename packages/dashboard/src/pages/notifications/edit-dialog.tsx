// Changes the address or the events of a target.
import type { NotificationTarget } from '@svc/contract'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { changeTarget, type Owner } from './notifications.ts'
import { isComplete, TargetFields } from './target-fields.tsx'

const texts = {
  webhook: { label: 'URL', hint: 'The webhook keeps its secret.' },
  email: { label: 'Email address', hint: 'A new address is asked to confirm first.' },
}

interface EditDialogProps {
  owner: Owner
  target: NotificationTarget
  onClose: () => void
}

export function EditDialog({ owner, target, onClose }: EditDialogProps) {
  const [entry, setEntry] = useState({
    address: target.address,
    events: target.events,
    include_logs: target.include_logs,
  })

  async function save() {
    await changeTarget(owner, target.id, { ...entry, address: entry.address.trim() })
    onClose()
  }

  return (
    <FormDialog title="Edit target" action="Save" disabled={!isComplete(entry)} run={save} onClose={onClose}>
      <TargetFields {...texts[target.kind]} entry={entry} onChange={setEntry} />
    </FormDialog>
  )
}
