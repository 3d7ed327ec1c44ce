// Adds a webhook or an email address. A webhook's secret is shown once.
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { addTarget, type Owner } from './notifications.ts'
import { isComplete, newTarget, TargetFields } from './target-fields.tsx'

export function AddDialog({ owner, onClose }: { owner: Owner; onClose: () => void }) {
  const [entry, setEntry] = useState(newTarget)
  const [secret, setSecret] = useState<string>()

  async function add() {
    const address = entry.address.trim()
    const kind = address.includes('://') ? 'webhook' : 'email'
    const made = await addTarget(owner, { ...entry, kind, address })
    if (made === null) onClose()
    else setSecret(made)
  }

  if (secret !== undefined)
    return (
      <SecretDialog
        title="The secret of the webhook"
        secret={secret}
        copyLabel="Copy the secret"
        warning="It signs every request. You won’t see it again."
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Add a target"
      action="Add target"
      disabled={!isComplete(entry)}
      run={add}
      onClose={onClose}
    >
      <TargetFields
        label="URL or email address"
        hint="Webhooks of Slack, Discord and Teams get messages, other URLs signed POST requests. An email address is asked to confirm first."
        entry={entry}
        onChange={setEntry}
      />
    </FormDialog>
  )
}
