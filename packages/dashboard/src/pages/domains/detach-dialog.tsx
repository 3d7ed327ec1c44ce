import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { detach } from './domains.ts'

interface DetachDialogProps {
  project: string
  domain: string
  onClose: () => void
}

export function DetachDialog({ project, domain, onClose }: DetachDialogProps) {
  async function run() {
    await detach(project, domain)
    notify({ tone: 'ok', text: `${domain} was removed.` })
  }

  return (
    <ConfirmDialog
      title="Remove this domain?"
      action="Remove domain"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        <code>{domain}</code> stops showing this site at once, and its certificate is deleted. The site stays
        at its other URLs.
      </p>
    </ConfirmDialog>
  )
}
