import type { Invite, OrgDetail } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { LongList } from '../../components/long-list.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { notify } from '../../components/toasts.tsx'
import { formatDay } from '../../format.ts'
import { roles } from '../../orgs.ts'
import { resendInvite, revokeInvite, useInvites } from './invite-list.ts'
import { type MadeInvite, MadeInviteDialog } from './made-invite-dialog.tsx'
import styles from './rows.module.css'

interface Asking {
  to: 'resend' | 'revoke'
  invite: Invite
}

export function Invites({ org }: { org: OrgDetail }) {
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  return (
    <section aria-labelledby="pending-invites">
      <h2 id="pending-invites" className={styles.title}>
        Pending invites
      </h2>
      <Loaded resource={useInvites(org.name)} rows={1} label="Loading invites">
        {invites =>
          invites.length > 0 ? (
            <LongList rows={invites} noun="invite" textOf={({ email }) => email}>
              {shown => <InviteRows invites={shown} onAsk={setAsking} />}
            </LongList>
          ) : (
            <Empty>
              Nobody is invited at the moment. An invite is a link, good once and for {limits.inviteDays}{' '}
              days.
            </Empty>
          )
        }
      </Loaded>
      {asking?.to === 'revoke' && <RevokeInviteDialog invite={asking.invite} onClose={close} />}
      {asking?.to === 'resend' && <ResendInviteDialog invite={asking.invite} onClose={close} />}
    </section>
  )
}

function InviteRows({ invites, onAsk }: { invites: readonly Invite[]; onAsk: (asking: Asking) => void }) {
  return (
    <Rows columns="minmax(0, 1fr) 16rem 6rem auto" end="side">
      {invites.map(invite => (
        <Row key={invite.id}>
          <p className={styles.name}>{invite.email}</p>
          <p className={styles.soft}>
            By {invite.sender}, good until {formatDay(invite.expires_at)}
          </p>
          <p className={styles.middle}>{roles[invite.role].title}</p>
          <div className={styles.actions}>
            <Button
              size="small"
              aria-label={`Send again: the invite of ${invite.email}`}
              onClick={() => onAsk({ to: 'resend', invite })}
            >
              Send again
            </Button>
            <Button
              size="small"
              aria-label={`Revoke the invite of ${invite.email}`}
              onClick={() => onAsk({ to: 'revoke', invite })}
            >
              Revoke
            </Button>
          </div>
        </Row>
      ))}
    </Rows>
  )
}

function ResendInviteDialog({ invite, onClose }: { invite: Invite; onClose: () => void }) {
  const [made, setMade] = useState<MadeInvite>()
  if (made) return <MadeInviteDialog made={made} onClose={onClose} />
  return (
    <FormDialog
      title="Send this invite again?"
      action="Send again"
      run={async () => setMade(await resendInvite(invite))}
      onClose={onClose}
    >
      <p>
        <strong>{invite.email}</strong> gets a new link, good for {limits.inviteDays} days. The earlier link
        stops working at once.
      </p>
    </FormDialog>
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
