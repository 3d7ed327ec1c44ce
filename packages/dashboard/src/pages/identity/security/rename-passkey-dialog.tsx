import type { Passkey } from '@svc/contract'
import { useState } from 'react'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { notify } from '../../../components/toasts.tsx'
import { renamePasskey } from './security.ts'

interface RenamePasskeyDialogProps {
  passkey: Passkey
  onRenamed: () => void
  onClose: () => void
}

export function RenamePasskeyDialog({ passkey, onRenamed, onClose }: RenamePasskeyDialogProps) {
  const [name, setName] = useState(passkey.name)

  async function rename() {
    await renamePasskey(passkey.id, name.trim())
    onRenamed()
    onClose()
    notify({ tone: 'ok', text: `The passkey is called ${name.trim()} now.` })
  }

  return (
    <FormDialog
      title="Rename this passkey"
      action="Rename"
      disabled={name.trim() === ''}
      run={rename}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        data-autofocus=""
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={event => setName(event.target.value)}
      />
    </FormDialog>
  )
}
