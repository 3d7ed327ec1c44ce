import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { removeVariable } from './variables.ts'

interface RemoveDialogProps {
  project: string
  variable: string
  onClose: () => void
}

export function RemoveDialog({ project, variable, onClose }: RemoveDialogProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function remove() {
    setBusy(true)
    try {
      await removeVariable(project, variable)
      notify({ tone: 'ok', text: `${variable} was removed.` })
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title="Remove this variable?" onClose={onClose}>
      <p>
        <code>{variable}</code> and its value are removed for good. Keep a copy of the value elsewhere if you
        may need it again.
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" busy={busy} onClick={() => void remove()}>
          Remove variable
        </Button>
      </DialogActions>
    </Dialog>
  )
}
