// Asks before an action that cannot be undone. For the most serious ones, the user must type a name.
import { useState } from 'react'
import styles from './confirm-dialog.module.css'
import { Field } from './field.tsx'
import { FormDialog, type FormDialogProps } from './form-dialog.tsx'

interface ConfirmDialogProps
  extends Pick<FormDialogProps, 'title' | 'children' | 'action' | 'keep' | 'onClose'> {
  /** The name to type. */
  typed?: string
  /** Runs the action. If it throws, the dialog stays open and shows the error. */
  run: () => Promise<void>
}

export function ConfirmDialog({ children, typed: name, run, onClose, ...words }: ConfirmDialogProps) {
  const [typed, setTyped] = useState('')
  const [mistyped, setMistyped] = useState(false)

  async function confirm() {
    const wrong = name !== undefined && typed !== name
    setMistyped(wrong)
    if (wrong) return
    await run()
    onClose()
  }

  return (
    <FormDialog {...words} look="danger" careful={name === undefined} run={confirm} onClose={onClose}>
      <div className={styles.words}>{children}</div>
      {name !== undefined && (
        <Field
          label={`Type ${name} to confirm`}
          name="confirm"
          data-autofocus
          look="mono"
          value={typed}
          error={mistyped ? `Type ${name} to confirm.` : undefined}
          onChange={event => {
            setTyped(event.target.value)
            setMistyped(false)
          }}
        />
      )}
    </FormDialog>
  )
}
