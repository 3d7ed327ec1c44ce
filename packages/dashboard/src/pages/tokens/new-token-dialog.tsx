import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { call, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import styles from './new-token-dialog.module.css'

const kinds = [
  { value: 'cli', title: 'Full access', note: 'For svc in CI, as SVC_TOKEN: it can do all that you can.' },
  { value: 'ai', title: 'AI gateway', note: 'For programs that call models; it reaches nothing else.' },
] as const

interface NewTokenDialogProps {
  onCreated: () => Promise<void>
  onClose: () => void
}

export function NewTokenDialog({ onCreated, onClose }: NewTokenDialogProps) {
  const [secret, setSecret] = useState<string>()
  if (secret)
    return (
      <SecretDialog
        title="Your new token"
        secret={secret}
        copyLabel="Copy the token"
        warning="Copy it now. It is shown this once, and nobody can show it again."
        onClose={onClose}
      />
    )
  return (
    <TokenForm
      onClose={onClose}
      onSecret={made => {
        setSecret(made)
        void onCreated()
      }}
    />
  )
}

function TokenForm({ onSecret, onClose }: { onSecret: (secret: string) => void; onClose: () => void }) {
  const [kind, setKind] = useState<'cli' | 'ai'>('cli')
  const [label, setLabel] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function create() {
    setBusy(true)
    try {
      const body = { kind, ...(label.trim() && { label: label.trim() }) }
      onSecret((await call('POST /tokens', { body })).token)
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title="New token" onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          void create()
        }}
      >
        {error && <Notice tone="error">{error}</Notice>}
        <Field
          label="Label"
          optional
          name="label"
          data-autofocus
          autoComplete="off"
          maxLength={limits.tokenLabel}
          placeholder="Deploys from CI"
          value={label}
          onChange={event => setLabel(event.target.value)}
        />
        <Choices legend="Kind" name="kind" choices={kinds} value={kind} onChoose={setKind} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Create token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
