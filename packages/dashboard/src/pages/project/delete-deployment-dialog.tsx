import type { Deployment, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { removeDeployment } from './detail.ts'

interface DeleteDeploymentDialogProps {
  project: ProjectDetail
  deployment: Deployment
  onClose: () => void
}

export function DeleteDeploymentDialog({ project, deployment, onClose }: DeleteDeploymentDialogProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function remove() {
    setBusy(true)
    try {
      await removeDeployment(project, deployment.id)
      onClose()
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog title="Delete this deployment?" onClose={onClose}>
      <p>
        <code>{deployment.id}</code>, deployed <TimeAgo at={deployment.created_at} />, is removed for good:
        its files, its record and its permanent address. You cannot roll back to it any more.
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" busy={busy} onClick={() => void remove()}>
          Delete deployment
        </Button>
      </DialogActions>
    </Dialog>
  )
}
