import type { OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { codeOf, explain } from '../../api.ts'
import { Choices } from '../../components/choices.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { roles, titleOf } from '../../orgs.ts'
import { createInvite } from './invite-list.ts'
import { type MadeInvite, MadeInviteDialog } from './made-invite-dialog.tsx'

type Invited = 'member' | 'admin'
const choices = (['member', 'admin'] as const).map(value => ({
  value,
  title: roles[value].title,
  note: roles[value].may,
}))

export function NewInviteDialog({ org, onClose }: { org: OrgDetail; onClose: () => void }) {
  const [made, setMade] = useState<MadeInvite>()
  if (made) return <MadeInviteDialog made={made} onClose={onClose} />
  return <InviteForm org={org} onMade={setMade} onClose={onClose} />
}

interface InviteFormProps {
  org: OrgDetail
  onMade: (made: MadeInvite) => void
  onClose: () => void
}

function InviteForm({ org, onMade, onClose }: InviteFormProps) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Invited>('member')
  const [problem, setProblem] = useState<string>()

  async function run() {
    if (!email.trim()) return setProblem('Enter an email address.')
    try {
      onMade(await createInvite(org.name, { email: email.trim(), role }))
    } catch (error) {
      if (codeOf(error) !== 'invalid_request' || !explain(error).startsWith('email')) throw error
      setProblem('That is not an email address.')
    }
  }

  return (
    <FormDialog title={`Invite to ${titleOf(org)}`} action="Create invite" run={run} onClose={onClose}>
      <Field
        label="Email"
        name="email"
        type="email"
        data-autofocus
        autoComplete="off"
        placeholder="grace@example.org"
        value={email}
        error={problem}
        hint={`The invite is a link, good once and for ${limits.inviteDays} days.`}
        onChange={event => {
          setEmail(event.target.value)
          setProblem(undefined)
        }}
      />
      <Choices legend="Role" name="role" choices={choices} value={role} onChoose={setRole} />
    </FormDialog>
  )
}
