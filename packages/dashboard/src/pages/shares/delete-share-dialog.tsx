import type { Share } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import { bareUrl } from '../../format.ts'
import { removeShare } from './list.ts'

export function DeleteShareDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function remove() {
    setBusy(true)
    try {
      await removeShare(share)
      notify({ tone: 'ok', text: `${share.name} was deleted.` })
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title="Delete this share?" onClose={onClose}>
      <p>
        <strong>{bareUrl(share.url)}</strong> stops working at once, for everyone you sent it to.
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" busy={busy} onClick={() => void remove()}>
          Delete share
        </Button>
      </DialogActions>
    </Dialog>
  )
}
