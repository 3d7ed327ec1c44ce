// Asks before the deployment of a branch goes live.
import type { Deployment, ProjectDetail } from '@svc/contract'
import { FormDialog } from '../../components/form-dialog.tsx'
import { promote } from '../projects/project/detail.ts'

interface PromoteDialogProps {
  project: ProjectDetail
  deployment: Pick<Deployment, 'id' | 'git_branch'>
  onClose: () => void
}

export function PromoteDialog({ project, deployment: { id, git_branch }, onClose }: PromoteDialogProps) {
  return (
    <FormDialog
      title="Promote to production?"
      action="Promote"
      run={() => promote(project, id).then(onClose)}
      onClose={onClose}
    >
      <p>
        Visitors of <strong>{project.name}</strong> will see <code>{id}</code>
        {git_branch && (
          <>
            {' '}
            of the branch <strong>{git_branch}</strong>
          </>
        )}
        . Nothing is built again, and the branch keeps its URL. You can roll back at any time.
      </p>
    </FormDialog>
  )
}
