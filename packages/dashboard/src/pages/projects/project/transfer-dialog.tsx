import type { Org, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { type Choice, Choices } from '../../../components/choices.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { notify } from '../../../components/toasts.tsx'
import { transfer } from './owners.ts'

interface TransferDialogProps {
  project: ProjectDetail
  orgs: Org[]
  onClose: () => void
}

interface Owner extends Choice<string> {
  org: string | null
}

/** Everyone who could have the project but does not. */
function otherOwners(project: ProjectDetail, orgs: Org[]): Owner[] {
  const yourself = { org: null, value: '', title: 'Your account', note: 'Nobody else can act on it.' }
  const others = orgs.map(({ name, display_name }) => ({
    org: name,
    value: name,
    title: display_name ?? name,
    note: `All members of ${name} can deploy to it.`,
  }))
  return [yourself, ...others].filter(({ org }) => org !== project.org)
}

export function TransferDialog({ project, orgs, onClose }: TransferDialogProps) {
  const owners = otherOwners(project, orgs)
  const [owner, setOwner] = useState(owners[0])

  async function run() {
    if (!owner) return
    await transfer(project.name, owner.org)
    notify({ tone: 'ok', text: `${project.name} now belongs to ${owner.org ?? 'you'}.` })
    onClose()
  }

  return (
    <FormDialog title={`Transfer ${project.name}`} action="Transfer project" run={run} onClose={onClose}>
      <Choices
        legend="New owner"
        name="owner"
        choices={owners}
        value={owner?.value ?? ''}
        onChoose={value => setOwner(owners.find(option => option.value === value))}
      />
    </FormDialog>
  )
}
