import type { AccountInvite } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatDay } from '../../format.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { revokeInvitation, useInvitations } from './invitations.ts'

export function Invitations() {
  const [revoking, setRevoking] = useState<AccountInvite>()
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations" className={rows.title}>
        Pending invitations
      </h2>
      <Loaded resource={useInvitations()} rows={1} label="Loading invitations">
        {invites =>
          invites.length === 0 ? (
            <Empty>Nobody is invited to this platform at the moment.</Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) 15rem 13.5rem" label="Invitations" end="below">
              {invites.map(invite => (
                <InvitationRow key={invite.id} invite={invite} onRevoke={() => setRevoking(invite)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {revoking && (
        <ConfirmDialog
          title="Revoke this invitation?"
          action="Revoke invitation"
          keep="Keep it"
          run={async () => {
            await revokeInvitation(revoking)
            notify({ tone: 'ok', text: 'The invitation was revoked.' })
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>Its link stops working at once.</p>
        </ConfirmDialog>
      )}
    </section>
  )
}

function InvitationRow({ invite, onRevoke }: { invite: AccountInvite; onRevoke: () => void }) {
  const { id, email, sender, expires_at } = invite
  return (
    <Row>
      <p className={rows.name}>{email ?? 'Without an email address'}</p>
      <p className={styles.soft}>
        By {sender}, good until {formatDay(expires_at)}
      </p>
      <div className={styles.actions}>
        <Button size="small" aria-label={`Revoke the invitation ${email ?? id}`} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
    </Row>
  )
}
