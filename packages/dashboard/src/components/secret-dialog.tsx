// Shows a secret that the platform shows only once.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyField } from './copy.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Notice } from './notice.tsx'

interface SecretDialogProps {
  title: string
  secret: string
  copyLabel: string
  warning: string
  /** Says what to do with the secret. */
  children?: ReactNode
  onClose: () => void
}

export function SecretDialog({ title, secret, copyLabel, warning, children, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} sticky>
      <Notice tone="warning">{warning}</Notice>
      <CopyField text={secret} label={copyLabel} />
      {children}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
