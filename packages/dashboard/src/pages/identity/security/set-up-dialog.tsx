// Sets up an authenticator app: the password, then the QR code and a code of the app, then the recovery codes.
import type { SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { CopyField } from '../../../components/copy.tsx'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { QrCode } from './qr-code.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { enableTotp, startTotp } from './security.ts'
import styles from './set-up-dialog.module.css'

interface SetUpDialogProps {
  security: SignInSecurity
  onEnabled: () => void
  onClose: () => void
}

export function SetUpDialog({ security, onEnabled, onClose }: SetUpDialogProps) {
  const [app, setApp] = useState<{ secret: string; uri: string }>()
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>()

  if (recoveryCodes)
    return (
      <RecoveryCodesDialog codes={recoveryCodes} onClose={onClose}>
        The authenticator app is on.
      </RecoveryCodesDialog>
    )
  if (app)
    return (
      <CodeDialog
        {...app}
        onClose={onClose}
        onCodes={codes => {
          setRecoveryCodes(codes)
          onEnabled()
        }}
      />
    )
  return (
    <ConfirmIdentityDialog
      security={security}
      title="Set up an authenticator app"
      action="Continue"
      run={async confirmation => setApp(await startTotp(confirmation))}
      onClose={onClose}
    >
      You need an app that shows one-time codes, such as Google Authenticator, 1Password or Aegis.
    </ConfirmIdentityDialog>
  )
}

interface CodeDialogProps {
  secret: string
  uri: string
  onCodes: (recoveryCodes: string[]) => void
  onClose: () => void
}

function CodeDialog({ secret, uri, onCodes, onClose }: CodeDialogProps) {
  const [code, setCode] = useState('')
  return (
    <FormDialog
      title="Set up an authenticator app"
      action="Turn on"
      disabled={!code.trim()}
      run={async () => onCodes(await enableTotp(code))}
      onClose={onClose}
    >
      <p>Scan this with the app.</p>
      <QrCode text={uri} label="QR code for the authenticator app" />
      <div className={styles.typed}>
        <p>Or type this key:</p>
        <CopyField text={secret} label="Copy the key" />
      </div>
      <Field
        label="Code"
        hint="The six digits that the app shows now."
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        look="code"
        data-autofocus=""
        value={code}
        onChange={event => setCode(event.target.value)}
      />
    </FormDialog>
  )
}
