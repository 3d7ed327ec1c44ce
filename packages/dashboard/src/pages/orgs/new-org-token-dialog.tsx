import type { OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { titleOf } from '../../orgs.ts'
import styles from './form.module.css'
import { createToken } from './token-list.ts'

const kinds = [
  {
    value: 'deploy',
    title: 'Deploy only',
    note: 'For CI: deploys and rolls back the projects, nothing else.',
  },
  { value: 'ai', title: 'AI gateway', note: 'For programs that call models on the organization’s account.' },
] as const

type Made = Awaited<ReturnType<typeof createToken>>

export function NewOrgTokenDialog({ org, onClose }: { org: OrgDetail; onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  if (!made) return <TokenForm org={org} onMade={setMade} onClose={onClose} />
  return (
    <SecretDialog
      title="The new token"
      secret={made.secret}
      copyLabel="Copy the token"
      warning="Copy it now. It is shown this once, and nobody can show it again."
      onClose={onClose}
    >
      {made.token.kind === 'deploy' && (
        <p className={styles.note}>
          In CI, store it as the secret variable <code>SVC_TOKEN</code>, then run{' '}
          <code>npx svc deploy --project my-site</code>.
        </p>
      )}
    </SecretDialog>
  )
}

interface TokenFormProps {
  org: OrgDetail
  onMade: (made: Made) => void
  onClose: () => void
}

function TokenForm({ org, onMade, onClose }: TokenFormProps) {
  const [kind, setKind] = useState<'deploy' | 'ai'>('deploy')
  const [label, setLabel] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function create() {
    setBusy(true)
    setError(undefined)
    try {
      onMade(await createToken(org.name, kind, label.trim()))
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title={`New token of ${titleOf(org)}`} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          if (!busy) void create()
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
