// Asks before a token is revoked, a person's or an organization's.
import type { Token } from '@svc/contract'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { notify } from '../../../components/toasts.tsx'

export const nameOf = ({ label, id }: Pick<Token, 'label' | 'id'>): string => label || id

interface RevokeDialogProps {
  token: Pick<Token, 'label' | 'id'>
  revoke: () => Promise<void>
  /** What happens to the programs that use it: the end of a sentence that begins with its name. */
  consequence: string
  onClose: () => void
}

export function RevokeDialog({ token, revoke, consequence, onClose }: RevokeDialogProps) {
  const name = nameOf(token)
  async function run() {
    await revoke()
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
        Everything that uses <strong>{name}</strong> {consequence}
      </p>
    </ConfirmDialog>
  )
}
