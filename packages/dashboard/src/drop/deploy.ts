// Starts the upload of a plan, and says how it ended if the user has gone to another page meanwhile.
import { call } from '../api.ts'
import { notify } from '../components/toasts.tsx'
import { forgetProjects } from '../pages/projects/list.ts'
import { rollBack } from '../pages/projects/project/detail.ts'
import { href } from '../paths.ts'
import { startUpload, type Upload } from '../upload/uploads.ts'
import type { Plan } from './plan.ts'

export async function createProject(name: string, org: string | undefined): Promise<void> {
  await call('POST /projects', { body: { name, ...(org && { org }) } })
  forgetProjects()
}

/** Deploys to production, or as a preview of the branch. */
export function deploy(project: string, { files }: Plan, branch: string | undefined): void {
  void startUpload(project, files, branch).then(outcome => outcome && announce(project, outcome))
}

function announce(project: string, outcome: Upload): void {
  // The project's own page shows it.
  if (location.pathname === href('/projects/:name', { name: project })) return
  if (outcome.step === 'failed')
    notify({ tone: 'error', text: `${project}: nothing was deployed. ${outcome.message}` })
  if (outcome.step !== 'live') return
  const { branch, previous } = outcome
  const text = branch
    ? `${project}: the preview of ${branch} is ready.`
    : `${project}: deployed to production.`
  const undo = previous && { label: 'Undo', run: () => void rollBack(project, previous) }
  notify({ tone: 'ok', text, ...(undo && { action: undo }) })
}
