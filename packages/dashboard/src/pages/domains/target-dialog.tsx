import type { Domain } from '@svc/contract'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { BranchField } from './attach-dialog.tsx'
import { retarget } from './domains.ts'

interface TargetDialogProps {
  project: string
  domain: Domain
  onClose: () => void
}

export function TargetDialog({ project, domain: { domain, branch: before }, onClose }: TargetDialogProps) {
  const [branch, setBranch] = useState(before ?? '')

  async function run() {
    const target = branch === '' || branch === 'production' ? null : branch
    await retarget(project, domain, target)
    notify({
      tone: 'ok',
      text: `${domain} shows ${target === null ? 'production' : `the branch ${target}`}.`,
    })
    onClose()
  }

  return (
    <FormDialog title={`What ${domain} shows`} action="Save" run={run} onClose={onClose}>
      <BranchField value={branch} onChange={setBranch} />
    </FormDialog>
  )
}
