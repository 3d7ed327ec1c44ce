import type { Share } from '@svc/contract'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { bareUrl } from '../../format.ts'
import { removeShare } from './list.ts'

export function DeleteShareDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  async function run() {
    await removeShare(share)
    notify({ tone: 'ok', text: `${share.name} was deleted.` })
  }

  return (
    <ConfirmDialog
      title="Delete this share?"
      action="Delete share"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        <strong>{bareUrl(share.url)}</strong> stops working at once, for everyone you sent it to.
      </p>
    </ConfirmDialog>
  )
}
