import { useId, useState } from 'react'
import { ApiError } from '../../api.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { RecordTable } from './dns-advice.tsx'
import { attach, useBranches } from './domains.ts'

export function AttachDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const [domain, setDomain] = useState('')
  const [branch, setBranch] = useState('')
  const [problem, setProblem] = useState<string>()
  const [proof, setProof] = useState<ApiError['proof']>()

  async function run() {
    if (!domain.includes('.')) return setProblem('Enter a whole name, such as www.example.com.')
    const target = branch === 'production' ? undefined : branch || undefined
    const added = await attach(project, domain, target).catch(error => {
      setProof(error instanceof ApiError ? error.proof : undefined)
      throw error
    })
    notify({ tone: 'ok', text: `${added} was added. Its DNS record is shown below.` })
    onClose()
  }

  return (
    <FormDialog title="Add a domain" action="Add domain" run={run} onClose={onClose}>
      <Field
        label="Domain"
        name="domain"
        look="mono"
        data-autofocus
        inputMode="url"
        maxLength={300}
        placeholder="www.example.com"
        value={domain}
        error={problem}
        onChange={event => {
          setDomain(bareName(event.target.value))
          setProblem(undefined)
          setProof(undefined)
        }}
      />
      {proof && <RecordTable records={[proof]} />}
      <BranchField project={project} value={branch} onChange={setBranch} />
    </FormDialog>
  )
}

/** Removes the scheme and the path, because people paste URLs. */
const bareName = (typed: string): string =>
  typed
    .trim()
    .replace(/^https?:\/\//i, '')
    .split('/', 1)[0]!

interface BranchFieldProps {
  project: string
  value: string
  onChange: (branch: string) => void
}

/** Offers the branches of the project. A branch that is not pushed yet can be typed. */
export function BranchField({ project, value, onChange }: BranchFieldProps) {
  const listId = useId()
  const { data: branches = [] } = useBranches(project)
  return (
    <>
      <datalist id={listId}>
        {branches.map(branch => (
          <option key={branch} value={branch} />
        ))}
      </datalist>
      <Field
        list={listId}
        label="Branch"
        name="branch"
        look="mono"
        optional
        maxLength={255}
        placeholder="production"
        value={value}
        hint="The domain shows the latest deployment of this branch. Empty: what is live in production."
        onChange={event => onChange(event.target.value.trim())}
      />
    </>
  )
}
