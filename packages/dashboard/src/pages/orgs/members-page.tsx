import type { Member, OrgDetail, Role } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LongList } from '../../components/long-list.tsx'
import { notify } from '../../components/toasts.tsx'
import { titleOf } from '../../orgs.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../rights.ts'
import { useLogin } from '../../session.ts'
import { useAddInUrl } from '../../use-add-in-url.ts'
import { complain } from '../../use-work.ts'
import { Invites } from './invites.tsx'
import { LeaveDialog, RemoveDialog, StepDownDialog } from './member-dialogs.tsx'
import { MemberRows } from './member-rows.tsx'
import { changeRole } from './members.ts'
import styles from './members-page.module.css'
import { NewInviteDialog } from './new-invite-dialog.tsx'
import { OrgLayout } from './org-layout.tsx'

type Asking = { about: 'remove' | 'leave'; member: Member } | { about: 'role'; member: Member; role: Role }

export function MembersPage() {
  const [inviting, setInviting] = useState(false)
  useAddInUrl(() => setInviting(true))
  return (
    <OrgLayout
      tab="Members"
      actions={org =>
        may(org.role, 'POST /orgs/:name/invites') && (
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      {(org, resource) => (
        <div className={styles.parts}>
          <Members org={org} resource={resource} />
          {may(org.role, 'GET /orgs/:name/invites') && <Invites org={org} />}
          {inviting && <NewInviteDialog org={org} onClose={() => setInviting(false)} />}
        </div>
      )}
    </OrgLayout>
  )
}

function Members({ org, resource }: { org: OrgDetail; resource: Resource<OrgDetail> }) {
  const me = useLogin()
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)

  async function setRole(member: Member, role: Role) {
    try {
      await changeRole(org, member, role, me)
    } catch (error) {
      complain(error)
      return resource.refresh()
    }
    const undo = () => void setRole({ ...member, role }, member.role)
    const action = member.login === me ? undefined : { label: 'Undo', run: undo }
    notify({ tone: 'ok', text: `${member.login} is now ${role}.`, ...(action && { action }) })
    await resource.refresh()
  }

  function choose(member: Member, role: Role) {
    if (member.login === me) setAsking({ about: 'role', member, role })
    else void setRole(member, role)
  }

  return (
    <section aria-label={`Members of ${titleOf(org)}`}>
      <LongList rows={org.members} noun="member" textOf={({ login }) => login}>
        {members => (
          <MemberRows
            org={org}
            members={members}
            me={me}
            onRole={choose}
            onRemove={member => setAsking({ about: member.login === me ? 'leave' : 'remove', member })}
          />
        )}
      </LongList>
      {asking?.about === 'remove' && <RemoveDialog org={org} member={asking.member} onClose={close} />}
      {asking?.about === 'leave' && <LeaveDialog org={org} member={asking.member} onClose={close} />}
      {asking?.about === 'role' && (
        <StepDownDialog
          org={org}
          member={asking.member}
          role={asking.role}
          run={() => setRole(asking.member, asking.role)}
          onClose={close}
        />
      )}
    </section>
  )
}
