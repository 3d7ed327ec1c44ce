import type { ProjectDetail } from '@svc/contract'
import { useLocation } from 'wouter'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { bareUrl } from '../../../format.ts'
import { orgPath } from '../../../orgs.ts'
import { href } from '../../../paths.ts'
import { cancelUpload, dismissUpload } from '../../../upload/uploads.ts'
import { deleteProject } from './owners.ts'

/** Asks for the project's name: a click alone must not take a site offline. */
export function DeleteProjectDialog({ project, onClose }: { project: ProjectDetail; onClose: () => void }) {
  const { name, org, url } = project
  const [, navigate] = useLocation()

  async function run() {
    await deleteProject(name)
    cancelUpload(name)
    dismissUpload(name)
    navigate(org ? orgPath(org) : href('/'))
    notify({ tone: 'ok', text: `${name} was deleted.` })
  }

  return (
    <ConfirmDialog title={`Delete ${name}?`} action="Delete project" typed={name} run={run} onClose={onClose}>
      <Notice tone="warning">
        {bareUrl(url)} goes offline at once. All deployments and settings are removed for good; nobody can
        bring them back.
      </Notice>
    </ConfirmDialog>
  )
}
