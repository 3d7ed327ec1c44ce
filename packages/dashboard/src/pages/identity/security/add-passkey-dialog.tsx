// Adds a passkey: its name and the password, then the browser asks for the fingerprint, the face or the PIN.
import type { SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { notify } from '../../../components/toasts.tsx'
import { createPasskey } from '../passkeys.ts'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { type Confirmation, startPasskey } from './security.ts'

interface AddPasskeyDialogProps {
  security: SignInSecurity
  onAdded: () => void
  onClose: () => void
}

export function AddPasskeyDialog({ security, onAdded, onClose }: AddPasskeyDialogProps) {
  const [name, setName] = useState('')

  async function add(confirmation: Confirmation) {
    const chosen = name.trim() || 'Passkey'
    await createPasskey(chosen, await startPasskey(confirmation))
    onAdded()
    onClose()
    notify({ tone: 'ok', text: `The passkey ${chosen} was added. Sign in with it next time.` })
  }

  return (
    <ConfirmIdentityDialog
      security={security}
      title="Add a passkey"
      action="Continue"
      run={add}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="So that you recognize it in the list, such as “Work laptop”."
        optional
        name="name"
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={event => setName(event.target.value)}
      />
    </ConfirmIdentityDialog>
  )
}
