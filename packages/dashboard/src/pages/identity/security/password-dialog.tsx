// Asks for the password before a change to how the account signs in.
import { type ReactNode, useState } from 'react'
import { PasswordField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'

interface PasswordDialogProps {
  login: string
  title: string
  action: string
  look?: 'primary' | 'danger'
  children: ReactNode
  /** The dialog shows an error that it throws. */
  run: (password: string) => Promise<void>
  onClose: () => void
}

export function PasswordDialog({ login, children, run, ...dialog }: PasswordDialogProps) {
  const [password, setPassword] = useState('')
  return (
    <FormDialog {...dialog} disabled={!password} run={() => run(password)}>
      <p>{children}</p>
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={login} readOnly hidden />
      <PasswordField
        label="Your password"
        name="password"
        autoComplete="current-password"
        data-autofocus=""
        value={password}
        onChange={event => setPassword(event.target.value)}
      />
    </FormDialog>
  )
}
