// Adds a webhook or an email address. A webhook's secret is shown once.
import type { NotificationEvent } from '@svc/contract'
import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import styles from './add-dialog.module.css'
import { addTarget, eventWords, type Owner } from './notifications.ts'

const all = Object.keys(eventWords) as NotificationEvent[]
const usual = all.filter(event => event !== 'deploy.succeeded')

export function AddDialog({ owner, onClose }: { owner: Owner; onClose: () => void }) {
  const [address, setAddress] = useState('')
  const [events, setEvents] = useState<ReadonlySet<NotificationEvent>>(new Set(usual))
  const [secret, setSecret] = useState<string>()

  async function add() {
    const kind = address.includes('://') ? 'webhook' : 'email'
    const made = await addTarget(owner, { kind, address: address.trim(), events: [...events] })
    if (made === null) onClose()
    else setSecret(made)
  }

  function flip(event: NotificationEvent) {
    const next = new Set(events)
    if (!next.delete(event)) next.add(event)
    setEvents(next)
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
      disabled={address.trim() === '' || events.size === 0}
      run={add}
      onClose={onClose}
    >
      <Field
        label="URL or email address"
        name="address"
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="https://example.com/hook"
        hint="A URL gets signed POST requests. An email address is asked to confirm first."
        value={address}
        onChange={event => setAddress(event.target.value)}
      />
      <fieldset className={styles.events}>
        <legend>Notify when</legend>
        {all.map(event => (
          <label key={event}>
            <input type="checkbox" checked={events.has(event)} onChange={() => flip(event)} />
            {eventWords[event]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
