import type { Token } from '@svc/contract'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { revoke } from './list.ts'

export function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const name = token.label || token.id

  async function run() {
    await revoke(token)
    notify({ tone: 'ok', text: `${name} was revoked.` })
  }

  return (
    <ConfirmDialog
      title="Revoke this token?"
      action="Revoke token"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        Whatever uses <strong>{name}</strong> is signed out at once and for good. If it is the token of this
        console, you sign in again.
      </p>
    </ConfirmDialog>
  )
}
