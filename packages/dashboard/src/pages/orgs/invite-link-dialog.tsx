// Shows the link of a new invite, once, and says whether it was mailed.
import { Notice } from '../../components/notice.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'

interface InviteLinkDialogProps {
  title: string
  url: string
  email: string | null
  emailSent: boolean
  warning: string
  onClose: () => void
}

export function InviteLinkDialog({ title, url, email, emailSent, warning, onClose }: InviteLinkDialogProps) {
  return (
    <SecretDialog title={title} secret={url} copyLabel="Copy the link" warning={warning} onClose={onClose}>
      {emailSent ? (
        <Notice tone="ok">It was sent to {email}, too.</Notice>
      ) : (
        <Notice tone="info">No email was sent. Copy the link and hand it over yourself.</Notice>
      )}
    </SecretDialog>
  )
}
