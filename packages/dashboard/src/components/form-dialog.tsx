// A dialog with a form. It shows that the action is under way, shows errors, and closes when the action succeeds.
import type { ReactNode } from 'react'
import { useFormWork } from '../use-work.ts'
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
  const work = useFormWork()

  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        className={styles.form}
        onSubmit={() => {
          if (!disabled) work.run(run)
        }}
      >
        {work.error && <Notice tone="error">{work.error}</Notice>}
        {children}
        <DialogActions>
          <Button data-autofocus={careful ? '' : undefined} onClick={onClose}>
            {keep}
          </Button>
          <Button type="submit" look={look} busy={work.busy} disabled={disabled}>
            {action}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
