import type { OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Choices } from '../../components/choices.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { roles, titleOf } from '../../orgs.ts'
import styles from './form.module.css'
import { createInvite } from './invite-list.ts'

type Invited = 'member' | 'admin'
const choices = (['member', 'admin'] as const).map(value => ({
  value,
  title: roles[value].title,
  note: roles[value].may,
}))

type Made = Awaited<ReturnType<typeof createInvite>>

export function NewInviteDialog({ org, onClose }: { org: OrgDetail; onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  if (made) return <LinkDialog made={made} onClose={onClose} />
  return <InviteForm org={org} onMade={setMade} onClose={onClose} />
}

function LinkDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const { email } = made.invite
  return (
    <SecretDialog
      title={`Invite for ${email}`}
      secret={made.url}
      copyLabel="Copy the link"
      warning="This link is shown once. Whoever has it can join, until it is used or revoked."
      onClose={onClose}
    >
      {made.emailSent ? (
        <Notice tone="ok">It was sent to {email}, too.</Notice>
      ) : (
        <Notice tone="info">No email was sent. Copy the link and hand it over yourself.</Notice>
      )}
    </SecretDialog>
  )
}

interface InviteFormProps {
  org: OrgDetail
  onMade: (made: Made) => void
  onClose: () => void
}

function InviteForm({ org, onMade, onClose }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Invited>('member')
  const [fault, setFault] = useState<{ about: 'email' | 'all'; text: string }>()
  const [busy, setBusy] = useState(false)

  async function invite() {
    if (!email.trim()) return setFault({ about: 'email', text: 'Enter an email address.' })
    setBusy(true)
    setFault(undefined)
    try {
      onMade(await createInvite(org.name, { email: email.trim(), role }))
    } catch (error) {
      const text = explain(error)
      const about = codeOf(error) === 'invalid_request' && text.startsWith('email') ? 'email' : 'all'
      setFault({ about, text: about === 'email' ? 'That is not an email address.' : text })
      setBusy(false)
    }
  }

  return (
    <Dialog title={`Invite to ${titleOf(org)}`} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (!busy) void invite()
        }}
      >
        {fault?.about === 'all' && <Notice tone="error">{fault.text}</Notice>}
        <Field
          label="Email"
          name="email"
          type="email"
          data-autofocus
          autoComplete="off"
          placeholder="grace@example.org"
          value={email}
          error={fault?.about === 'email' ? fault.text : undefined}
          hint={`The invite is a link, good once and for ${limits.inviteDays} days.`}
          onChange={event => {
            setEmail(event.target.value)
            setFault(undefined)
          }}
        />
        <Choices legend="Role" name="role" choices={choices} value={role} onChoose={setRole} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Create invite
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
