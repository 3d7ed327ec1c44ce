import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { InviteLinkDialog } from '../orgs/invite-link-dialog.tsx'
import { createInvitation } from './invitations.ts'

type Made = Awaited<ReturnType<typeof createInvitation>>

export function NewInvitationDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [made, setMade] = useState<Made>()
  if (made)
    return (
      <InviteLinkDialog
        title={made.invite.email ? `Invitation for ${made.invite.email}` : 'Invitation'}
        {...made}
        email={made.invite.email}
        warning="You won't see this link again. Anyone who has it can create one account until it is used or revoked."
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title="Invite somebody to this platform"
      action="Create invitation"
      run={async () => setMade(await createInvitation(email.trim()))}
      onClose={onClose}
    >
      <Field
        label="Email"
        optional
        name="email"
        type="email"
        data-autofocus
        autoComplete="off"
        placeholder="grace@example.org"
        value={email}
        hint={`The invitation is a link, good once and for ${limits.inviteDays} days. It works even if sign-ups are closed.`}
        onChange={event => setEmail(event.target.value)}
      />
    </FormDialog>
  )
}
