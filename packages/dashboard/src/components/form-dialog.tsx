// A dialog that does something: shows that it is under way, says what went wrong, and stays until it went well.
import { type ReactNode, useState } from 'react'
import { explain } from '../api.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import styles from './form-dialog.module.css'
import { Notice } from './notice.tsx'

export interface FormDialogProps {
  title: string
  children: ReactNode
  /** What the button says that does it. */
  action: string
  /** What the button says that leaves everything as it is. */
  keep?: string
  look?: 'primary' | 'danger'
  /** The focus begins on the button that leaves everything as it is. */
  careful?: boolean
  disabled?: boolean
  /** Does it and closes the dialog; what it throws is shown. */
  run: () => Promise<void>
  onClose: () => void
}

export function FormDialog({
  title,
  children,
  action,
  keep = 'Cancel',
  look = 'primary',
  careful = false,
  disabled = false,
  run,
  onClose,
}: FormDialogProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function submit() {
    setBusy(true)
    setError(undefined)
    try {
      await run()
    } catch (failure) {
      setError(explain(failure))
    }
    setBusy(false)
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (!busy && !disabled) void submit()
        }}
      >
        {error && <Notice tone="error">{error}</Notice>}
        {children}
        <DialogActions>
          <Button data-autofocus={careful ? '' : undefined} onClick={onClose}>
            {keep}
          </Button>
          <Button type="submit" look={look} busy={busy} disabled={disabled}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
