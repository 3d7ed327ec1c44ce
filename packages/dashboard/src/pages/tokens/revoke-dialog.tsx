import type { Token } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { revoke } from './list.ts'

export function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const name = token.label || token.id

  async function confirm() {
    setBusy(true)
    try {
      await revoke(token)
      notify({ tone: 'ok', text: `${name} was revoked.` })
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title="Revoke this token?" onClose={onClose}>
      <p>
        Whatever uses <strong>{name}</strong> is signed out at once and for good. If it is the token of this
        console, you sign in again.
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" busy={busy} onClick={() => void confirm()}>
          Revoke token
        </Button>
      </DialogActions>
    </Dialog>
  )
}
