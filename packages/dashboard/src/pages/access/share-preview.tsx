// The button Share of a deployment, and the dialog that creates a link to its protected preview.
import type { DeploymentDetail, ProjectDetail } from '@svc/contract'
import { dayMs } from '@svc/contract/durations'
import { useState } from 'react'
import { call } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { SelectField } from '../../components/select.tsx'

type Shared = Pick<DeploymentDetail, 'id' | 'git_branch' | 'branch_url'>

interface SharePreviewProps {
  project: ProjectDetail
  deployment: Shared
}

const times = [
  { value: '1', title: '1 day' },
  { value: '7', title: '7 days' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
] as const

/** Nothing where previews are public: their URLs are enough. */
export function SharePreview({ project, deployment }: SharePreviewProps) {
  const [open, setOpen] = useState(false)
  const isPublic = project.access.mode === 'public' && project.preview_access.mode === 'site'
  if (isPublic) return null
  return (
    <>
      <Button size="small" icon="link" onClick={() => setOpen(true)}>
        Share
      </Button>
      {open && <ShareDialog project={project.name} deployment={deployment} onClose={() => setOpen(false)} />}
    </>
  )
}

interface ShareDialogProps {
  project: string
  deployment: Shared
  onClose: () => void
}

function ShareDialog({ project, deployment, onClose }: ShareDialogProps) {
  const branch = deployment.branch_url ? deployment.git_branch : null
  const [what, setWhat] = useState<'branch' | 'deployment'>(branch ? 'branch' : 'deployment')
  const [days, setDays] = useState<(typeof times)[number]['value']>('7')
  const [url, setUrl] = useState<string>()
  if (url)
    return (
      <SecretDialog
        title="Your share link"
        secret={url}
        copyLabel="Copy the link"
        warning="Copy it now. You won't see this link again. Everyone with it sees this preview."
        onClose={onClose}
      >
        <p>The Access page of the project lists share links and revokes them.</p>
      </SecretDialog>
    )

  async function run() {
    const which = what === 'branch' && branch ? { branch } : { deployment_id: deployment.id }
    const expires_at = new Date(Date.now() + Number(days) * dayMs - 60_000).toISOString()
    const link = await call('POST /projects/:name/preview-links', {
      params: { name: project },
      body: { ...which, expires_at },
    })
    setUrl(link.url)
  }
  return (
    <FormDialog title="Share this preview" action="Create a link" run={run} onClose={onClose}>
      <p>Everyone with the link sees this preview, without a password and without an account.</p>
      {branch && (
        <SelectField
          label="What the link shows"
          value={what}
          options={[
            { value: 'branch', title: `The newest deployment of ${branch}` },
            { value: 'deployment', title: 'This deployment' },
          ]}
          onChoose={setWhat}
        />
      )}
      <SelectField label="How long it works" value={days} options={times} onChoose={setDays} />
    </FormDialog>
  )
}
