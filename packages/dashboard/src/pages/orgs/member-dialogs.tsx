// The questions before somebody leaves an org, or loses a role in it.
import type { Member, OrgDetail, Role } from '@svc/contract'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { roles, titleOf } from '../../orgs.ts'
import { href } from '../../paths.ts'
import { isLastOwner, leave, removeMember } from './members.ts'

interface MemberDialogProps {
  org: OrgDetail
  member: Member
  onClose: () => void
}

export function RemoveDialog({ org, member, onClose }: MemberDialogProps) {
  const { login } = member
  async function run() {
    await removeMember(org, member)
    notify({ tone: 'ok', text: `${login} was removed.` })
  }
  return (
    <ConfirmDialog title={`Remove ${login}?`} action="Remove" run={run} onClose={onClose}>
      <p>
        {login} loses access to all projects of {titleOf(org)} at once. What {login} deployed stays; invites
        that {login} sent end.
      </p>
    </ConfirmDialog>
  )
}

export function LeaveDialog({ org, member, onClose }: MemberDialogProps) {
  const [, navigate] = useLocation()
  if (isLastOwner(org, member)) return <LastOwner org={org} onClose={onClose} />
  async function run() {
    await leave(org, member.login)
    navigate(href('/'))
    notify({ tone: 'ok', text: `You left ${titleOf(org)}.` })
  }
  return (
    <ConfirmDialog title={`Leave ${titleOf(org)}?`} action="Leave" keep="Stay" run={run} onClose={onClose}>
      <p>You lose access to its projects at once. To come back, you need a new invite.</p>
    </ConfirmDialog>
  )
}

interface StepDownDialogProps extends MemberDialogProps {
  role: Role
  run: () => Promise<void>
}

/** One's own role, which one cannot give back to oneself. */
export function StepDownDialog({ org, member, role, run, onClose }: StepDownDialogProps) {
  if (isLastOwner(org, member)) return <LastOwner org={org} onClose={onClose} />
  const title = roles[role].title.toLowerCase()
  return (
    <ConfirmDialog
      title={`Become ${role === 'member' ? 'a' : 'an'} ${title}?`}
      action="Change my role"
      run={run}
      onClose={onClose}
    >
      <p>You stop being an owner of {titleOf(org)}. Only another owner can make you one again.</p>
    </ConfirmDialog>
  )
}

function LastOwner({ org, onClose }: { org: OrgDetail; onClose: () => void }) {
  return (
    <Dialog title="The last owner stays" onClose={onClose}>
      <p>
        You are the only owner of {titleOf(org)}, and every organization keeps at least one. Make somebody
        else an owner first, or delete the organization in its settings.
      </p>
      <DialogActions>
        <Button look="primary" data-autofocus onClick={onClose}>
          Understood
        </Button>
      </DialogActions>
    </Dialog>
  )
}
