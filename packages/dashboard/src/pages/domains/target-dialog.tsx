// What a domain does: show production or a branch, or redirect to another domain of the project.
import type { Domain } from '@svc/contract'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SelectField } from '../../components/select.tsx'
import { notify } from '../../components/toasts.tsx'
import { BranchField } from './attach-dialog.tsx'
import { changeDomain } from './domains.ts'

interface TargetDialogProps {
  project: string
  domain: Domain
  domains: readonly Domain[]
  onClose: () => void
}

export function TargetDialog({ project, domain, domains, onClose }: TargetDialogProps) {
  const [branch, setBranch] = useState(domain.branch ?? '')
  const [redirect, setRedirect] = useState(domain.redirect_to ?? '')
  const targets = redirectTargets(domain, domains)

  async function run() {
    const target = branch === '' || branch === 'production' ? null : branch
    const body = redirect
      ? { redirect_to: redirect }
      : { ...(target !== domain.branch && { branch: target }), redirect_to: null }
    await changeDomain(project, domain.domain, body)
    const does = redirect
      ? `redirects to ${redirect}`
      : `shows ${target === null ? 'production' : `the branch ${target}`}`
    notify({ tone: 'ok', text: `${domain.domain} ${does}.` })
    onClose()
  }

  return (
    <FormDialog title={`What ${domain.domain} shows`} action="Save" run={run} onClose={onClose}>
      {targets.length > 0 && (
        <SelectField
          label="Visitors"
          value={redirect}
          options={[
            { value: '', title: 'see the site here' },
            ...targets.map(value => ({ value, title: `are redirected to ${value}` })),
          ]}
          onChoose={setRedirect}
        />
      )}
      {redirect === '' && <BranchField project={project} value={branch} onChange={setBranch} />}
    </FormDialog>
  )
}

/** The domains that the API accepts: they show the site themselves, and nothing redirects to this one. */
function redirectTargets({ domain, primary }: Domain, domains: readonly Domain[]): string[] {
  if (primary || domains.some(other => other.redirect_to === domain)) return []
  return domains
    .filter(other => other.domain !== domain && other.redirect_to === null && other.verified !== false)
    .map(other => other.domain)
}
