// The authenticator app and its recovery codes.
import type { SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction } from '../../../components/card.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { formatCount, formatDay } from '../../../format.ts'
import { ConfirmIdentityDialog } from './confirm-identity-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'
import { type Confirmation, disableTotp, newRecoveryCodes } from './security.ts'
import { SetUpDialog } from './set-up-dialog.tsx'

interface AuthenticatorCardProps {
  security: SignInSecurity
  onChange: () => void
}

type Asking = { to: 'set up' | 'turn off' | 'renew' } | { to: 'show'; codes: string[] }

const fewCodes = 3

export function AuthenticatorCard({ security, onChange }: AuthenticatorCardProps) {
  const { totp, password, recovery_codes_left: left } = security
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)

  async function turnOff(confirmation: Confirmation) {
    await disableTotp(confirmation)
    onChange()
    close()
    notify({ tone: 'ok', text: 'The authenticator app is off. Your password is enough to sign in.' })
  }
  async function renew(confirmation: Confirmation) {
    const codes = await newRecoveryCodes(confirmation)
    onChange()
    setAsking({ to: 'show', codes })
  }

  return (
    <Card
      title="Authenticator app"
      lead="A code from an app on your phone, asked for after your password. Somebody who learns your password cannot sign in with it alone."
    >
      {totp === null ? (
        <CardAction
          words={
            password
              ? 'Off. Signing in needs your password alone.'
              : 'Your account has no password, so there is nothing that a code could protect.'
          }
        >
          {password && (
            <Button look="primary" onClick={() => setAsking({ to: 'set up' })}>
              Set up
            </Button>
          )}
        </CardAction>
      ) : (
        <>
          {left <= fewCodes && (
            <Notice tone="warning">
              {left === 0 ? 'No recovery code is left.' : `Only ${formatCount(left, 'recovery code')} left.`}{' '}
              Without one you cannot sign in if you lose your phone.
            </Notice>
          )}
          <CardAction words={`On since ${formatDay(totp.enabled_at)}.`}>
            <Button onClick={() => setAsking({ to: 'turn off' })}>Turn off</Button>
          </CardAction>
          <CardAction words={`${formatCount(left, 'recovery code')} left, each for one sign-in.`}>
            <Button onClick={() => setAsking({ to: 'renew' })}>New recovery codes</Button>
          </CardAction>
        </>
      )}
      {asking?.to === 'set up' && <SetUpDialog security={security} onEnabled={onChange} onClose={close} />}
      {asking?.to === 'turn off' && (
        <ConfirmIdentityDialog
          security={security}
          title="Turn off the authenticator app?"
          action="Turn off"
          look="danger"
          run={turnOff}
          onClose={close}
        >
          Your password alone is enough to sign in from then on. The recovery codes stop working.
        </ConfirmIdentityDialog>
      )}
      {asking?.to === 'renew' && (
        <ConfirmIdentityDialog
          security={security}
          title="Create new recovery codes?"
          action="Create codes"
          run={renew}
          onClose={close}
        >
          You get ten new codes. The ones that you have now stop working.
        </ConfirmIdentityDialog>
      )}
      {asking?.to === 'show' && <RecoveryCodesDialog codes={asking.codes} onClose={close} />}
    </Card>
  )
}
