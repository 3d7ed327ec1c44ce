// The email address of the account, and the dialog that changes it.
import type { Account, SignInSecurity } from '@svc/contract'
import { useState } from 'react'
import { call } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Card, CardAction } from '../../../components/card.tsx'
import { Field } from '../../../components/field.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { refreshAccount } from '../../../session.ts'
import { complain } from '../../../use-work.ts'
import { ConfirmIdentityDialog } from '../security/confirm-identity-dialog.tsx'
import { type Confirmation, canConfirm, useSecurity } from '../security/security.ts'

export function EmailCard({ account }: { account: Account }) {
  const security = useSecurity()
  const [isChanging, setChanging] = useState(false)
  return (
    <Card
      title="Email address"
      lead="svc writes to it about changes to how you sign in, about your sites and about invoices."
    >
      <Loaded resource={security} rows={1} label="Loading the email address">
        {state => (
          <>
            {state.pending_email && (
              <Notice tone="info">
                <p>
                  Open the link that was sent to <strong>{state.pending_email}</strong> to confirm it. The
                  link works for 24 hours.
                </p>
                <Button size="small" onClick={() => void cancelChange(security.refresh)}>
                  Cancel the change
                </Button>
              </Notice>
            )}
            <CardAction words={canConfirm(state) ? (account.email ?? 'None yet.') : whyNot}>
              {canConfirm(state) && <Button onClick={() => setChanging(true)}>Change</Button>}
            </CardAction>
            {isChanging && (
              <ChangeDialog
                security={state}
                onChanged={() => void security.refresh()}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}

async function cancelChange(refresh: () => Promise<unknown>): Promise<void> {
  try {
    await call('DELETE /me/email/pending')
    notify({ tone: 'ok', text: 'The change was cancelled. Your email address stays as it is.' })
  } catch (error) {
    complain(error)
  }
  // Also after a failure: the change may have been confirmed or cancelled elsewhere.
  await refresh()
}

const whyNot = 'Changing it needs a password. Ask the operator to set one for your account.'

interface ChangeDialogProps {
  security: SignInSecurity
  onChanged: () => void
  onClose: () => void
}

function ChangeDialog({ security, onChanged, onClose }: ChangeDialogProps) {
  const [email, setEmail] = useState('')

  async function change(confirmation: Confirmation) {
    const body = { email: email.trim(), ...confirmation }
    const { pending_email: pending } = await call('PUT /me/email', { body })
    await refreshAccount()
    onChanged()
    onClose()
    const text = pending ? `We sent a link to ${pending}.` : 'Your email address was changed.'
    notify({ tone: 'ok', text })
  }

  return (
    <ConfirmIdentityDialog
      security={security}
      title="Change your email address"
      action="Change"
      disabled={email.trim() === ''}
      run={change}
      onClose={onClose}
    >
      <Field
        label="New email address"
        type="email"
        name="email"
        data-autofocus=""
        autoComplete="email"
        maxLength={254}
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
    </ConfirmIdentityDialog>
  )
}
