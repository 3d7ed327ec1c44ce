import type { Deployment, ProjectDetail } from '@svc/contract'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { removeDeployment } from '../projects/project/detail.ts'

interface DeleteDeploymentDialogProps {
  project: ProjectDetail
  deployment: Deployment
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteDeploymentDialog({
  project,
  deployment,
  onClose,
  onDeleted,
}: DeleteDeploymentDialogProps) {
  return (
    <ConfirmDialog
      title="Delete this deployment?"
      action="Delete deployment"
      keep="Keep it"
      run={() => removeDeployment(project, deployment.id).then(onDeleted)}
      onClose={onClose}
    >
      <p>
        <code>{deployment.id}</code>, deployed <TimeAgo at={deployment.created_at} />, is removed for good:
        its files, its record and its permanent address. You cannot roll back to it any more.
      </p>
    </ConfirmDialog>
  )
}
