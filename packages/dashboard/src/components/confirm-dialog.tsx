// Asks before something is done that cannot be taken back; for the gravest, by a name that must be typed.
import { type ReactNode, useState } from 'react'
import { explain } from '../api.ts'
import { Button } from './button.tsx'
import styles from './confirm-dialog.module.css'
import { Dialog, DialogActions } from './dialog.tsx'
import { Field } from './field.tsx'
import { Notice } from './notice.tsx'

interface ConfirmDialogProps {
  title: string
  children: ReactNode
  /** What the button says that does it. */
  action: string
  /** What the button says that leaves everything as it is. */
  keep?: string
  /** The name to type. */
  typed?: string
  /** Does it; what it throws is shown, and the dialog stays. */
  run: () => Promise<void>
  onClose: () => void
}

export function ConfirmDialog({
  title,
  children,
  action,
  keep = 'Cancel',
  typed: name,
  run,
  onClose,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [mistyped, setMistyped] = useState(false)

  async function confirm() {
    const wrong = name !== undefined && typed !== name
    setMistyped(wrong)
    if (wrong) return
    setBusy(true)
    setError(undefined)
    try {
      await run()
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (!busy) void confirm()
        }}
      >
        <div className={styles.words}>{children}</div>
        {error && <Notice tone="error">{error}</Notice>}
        {name !== undefined && (
          <Field
            label={`Type ${name} to confirm`}
            name="confirm"
            data-autofocus
            look="mono"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            error={mistyped ? `Type ${name} to confirm.` : undefined}
            onChange={event => {
              setTyped(event.target.value)
              setMistyped(false)
            }}
          />
        )}
        <DialogActions>
          <Button data-autofocus={name === undefined ? '' : undefined} onClick={onClose}>
            {keep}
          </Button>
          <Button type="submit" look="danger" busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
