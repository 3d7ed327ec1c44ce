// A dialog with a form. It shows that the action is under way, shows errors, and closes when the action succeeds.
import { type ReactNode, useState } from 'react'
import { explain } from '../api.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Form } from './form.tsx'
import styles from './form-dialog.module.css'
import { Notice } from './notice.tsx'

export interface FormDialogProps {
  title: string
  children: ReactNode
  /** The label of the button that submits the form. */
  action: string
  /** The label of the button that cancels. */
  keep?: string
  look?: 'primary' | 'danger'
  /** Whether the focus starts on the cancel button. */
  careful?: boolean
  disabled?: boolean
  /** Runs the action and closes the dialog. The dialog shows an error that it throws. */
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
      <Form
        className={styles.form}
        onSubmit={() => {
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
      </Form>
    </Dialog>
  )
}
