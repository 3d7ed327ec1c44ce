// Gives a project another name, and with it another URL.
import type { ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Field } from '../../../components/field.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { notify } from '../../../components/toasts.tsx'
import { siteUrl } from '../../../config.ts'
import { bareUrl } from '../../../format.ts'
import { href } from '../../../paths.ts'
import { rename } from './owners.ts'

export function RenameDialog({ project, onClose }: { project: ProjectDetail; onClose: () => void }) {
  const [name, setName] = useState(project.name)
  const [, navigate] = useLocation()

  async function run() {
    await rename(project.name, name)
    onClose()
    navigate(href('/projects/:name/settings', { name }), { replace: true })
    notify({ tone: 'ok', text: `${project.name} is now called ${name}.` })
  }

  return (
    <FormDialog
      title={`Rename ${project.name}`}
      action="Rename project"
      disabled={name === '' || name === project.name}
      run={run}
      onClose={onClose}
    >
      <Field
        label="New name"
        name="name"
        look="mono"
        data-autofocus
        maxLength={40}
        value={name}
        hint={`The site will be at ${bareUrl(siteUrl(name || project.name))}. ${bareUrl(project.url)} redirects there for 30 days. Then change "project" in svc.json.`}
        onChange={event => setName(event.target.value.trim().toLowerCase())}
      />
    </FormDialog>
  )
}
