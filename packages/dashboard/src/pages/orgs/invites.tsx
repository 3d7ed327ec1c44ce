import type { Invite, OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatDay } from '../../format.ts'
import { roles } from '../../orgs.ts'
import { revokeInvite, useInvites } from './invite-list.ts'
import styles from './rows.module.css'

export function Invites({ org }: { org: OrgDetail }) {
  const [revoking, setRevoking] = useState<Invite>()
  return (
    <section aria-labelledby="pending-invites">
      <h2 id="pending-invites" className={styles.title}>
        Pending invites
      </h2>
      <Loaded resource={useInvites(org.name)} rows={1} label="Loading invites">
        {invites =>
          invites.length > 0 ? (
            <InviteRows invites={invites} onRevoke={setRevoking} />
          ) : (
            <Empty>
              Nobody is invited at the moment. An invite is a link, good once and for {limits.inviteDays}{' '}
              days.
            </Empty>
          )
        }
      </Loaded>
      {revoking && <RevokeInviteDialog invite={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  )
}

function InviteRows({ invites, onRevoke }: { invites: Invite[]; onRevoke: (invite: Invite) => void }) {
  return (
    <Rows columns="minmax(0, 1fr) 16rem 7rem 5.5rem" end="side">
      {invites.map(invite => (
        <Row key={invite.id}>
          <p className={styles.name}>{invite.email}</p>
          <p className={styles.soft}>
            By {invite.sender}, good until {formatDay(invite.expires_at)}
          </p>
          <p className={styles.middle}>{roles[invite.role].title}</p>
          <div>
            <Button
              size="small"
              aria-label={`Revoke the invite of ${invite.email}`}
              onClick={() => onRevoke(invite)}
            >
              Revoke
            </Button>
          </div>
        </Row>
      ))}
    </Rows>
  )
}

function RevokeInviteDialog({ invite, onClose }: { invite: Invite; onClose: () => void }) {
  async function run() {
    await revokeInvite(invite)
    notify({ tone: 'ok', text: `The invite of ${invite.email} was revoked.` })
  }
  return (
    <ConfirmDialog
      title="Revoke this invite?"
      action="Revoke invite"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        The link that was made for <strong>{invite.email}</strong> stops working at once.
      </p>
    </ConfirmDialog>
  )
}
