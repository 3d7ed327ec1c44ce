// Asks for the password or a passkey before a change to how the account signs in.
import type { SignInSecurity } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { PasswordField } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { useLogin } from '../../../session.ts'
import { canUsePasskeys, confirmWithPasskey } from '../passkeys.ts'
import type { Confirmation } from './security.ts'

interface ConfirmIdentityDialogProps {
  security: SignInSecurity
  title: string
  action: string
  look?: 'primary' | 'danger'
  disabled?: boolean
  children: ReactNode
  /** The dialog shows an error that it throws. */
  run: (confirmation: Confirmation) => Promise<void>
  onClose: () => void
}

export function ConfirmIdentityDialog(props: ConfirmIdentityDialogProps) {
  const { security, disabled, children, run, ...dialog } = props
  const login = useLogin()
  const hasPasskey = canUsePasskeys() && security.passkeys.some(({ usable }) => usable)
  const [usesPasskey, setUsesPasskey] = useState(!security.password)
  const [password, setPassword] = useState('')
  return (
    <FormDialog
      {...dialog}
      disabled={disabled || (!usesPasskey && !password)}
      run={async () => run(usesPasskey ? await confirmWithPasskey() : { password })}
    >
      <div>{children}</div>
      {usesPasskey ? (
        <p>Your browser asks for your passkey.</p>
      ) : (
        <>
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
        </>
      )}
      {hasPasskey && security.password && (
        <div>
          <Button size="small" look="quiet" icon="key" onClick={() => setUsesPasskey(!usesPasskey)}>
            {usesPasskey ? 'Use the password instead' : 'Use a passkey instead'}
          </Button>
        </div>
      )}
    </FormDialog>
  )
}
