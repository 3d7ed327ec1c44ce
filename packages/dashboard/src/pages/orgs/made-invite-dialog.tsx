// The link of an invite that was just made or sent again.
import type { Invite } from '@svc/contract'
import { InviteLinkDialog } from './invite-link-dialog.tsx'

export interface MadeInvite {
  invite: Invite
  url: string
  emailSent: boolean
}

export const MadeInviteDialog = ({ made, onClose }: { made: MadeInvite; onClose: () => void }) => (
  <InviteLinkDialog
    title={`Invite for ${made.invite.email}`}
    {...made}
    email={made.invite.email}
    warning="You won't see this link again. Anyone who has it can join until it is used or revoked."
    onClose={onClose}
  />
)
