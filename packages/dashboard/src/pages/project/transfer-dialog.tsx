import type { Org, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type Choice, Choices } from '../../components/choices.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { transfer } from './owners.ts'
import styles from './transfer-dialog.module.css'

interface TransferDialogProps {
  project: ProjectDetail
  orgs: Org[]
  onClose: () => void
}

interface Owner extends Choice<string> {
  org: string | null
}

/** Everyone who could have the project but does not. */
function otherOwners(project: ProjectDetail, orgs: Org[]): Owner[] {
  const yourself = { org: null, value: '', title: 'Your account', note: 'Nobody else can act on it.' }
  const others = orgs.map(({ name, display_name }) => ({
    org: name,
    value: name,
    title: display_name ?? name,
    note: `All members of ${name} can deploy to it.`,
  }))
  return [yourself, ...others].filter(({ org }) => org !== project.org)
}

export function TransferDialog({ project, orgs, onClose }: TransferDialogProps) {
  const owners = otherOwners(project, orgs)
  const [owner, setOwner] = useState(owners[0])
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function move() {
    if (!owner) return
    setBusy(true)
    try {
      await transfer(project.name, owner.org)
      notify({ tone: 'ok', text: `${project.name} now belongs to ${owner.org ?? 'you'}.` })
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title={`Transfer ${project.name}`} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          void move()
        }}
      >
        {error && <Notice tone="error">{error}</Notice>}
        <Choices
          legend="New owner"
          name="owner"
          choices={owners}
          value={owner?.value ?? ''}
          onChoose={value => setOwner(owners.find(option => option.value === value))}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Transfer project
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
