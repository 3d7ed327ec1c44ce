// The operator sees what an account or one of its orgs uses, and gives it limits of its own.
import type { LimitName, OwnerLimits } from '@svc/contract'
import { writeLimit } from '@svc/contract/limit-text'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { notify } from '../../components/toasts.tsx'
import styles from './admin.module.css'
import { changeLimits, useOwnerLimits } from './owner-limits.ts'

const labels: Record<LimitName, string> = {
  projects: 'Projects',
  orgs: 'Organizations',
  ready_apps: 'Apps that are never stopped',
  running_apps: 'Apps that run at the same time',
  stored_bytes: 'Stored deployments',
  bandwidth_bytes: 'Bandwidth a month',
  build_minutes: 'Build minutes a month',
}

export function LimitsDialog({ login, onClose }: { login: string; onClose: () => void }) {
  const [owner, setOwner] = useState(login)
  const resource = useOwnerLimits(owner)
  if (resource.data)
    return <LimitsForm key={owner} shown={resource.data} choose={setOwner} onClose={onClose} />
  return (
    <Dialog title={`Limits of ${owner}`} onClose={onClose}>
      <Loaded resource={resource} rows={7} label="Loading limits">
        {() => null}
      </Loaded>
    </Dialog>
  )
}

interface LimitsFormProps {
  shown: OwnerLimits
  /** Shows the limits of one of its orgs. */
  choose: (owner: string) => void
  onClose: () => void
}

function LimitsForm({ shown: { owner, limits, orgs }, choose, onClose }: LimitsFormProps) {
  const [typed, setTyped] = useState<Partial<Record<LimitName, string>>>({})
  async function run() {
    await changeLimits(owner, typed)
    notify({ tone: 'ok', text: `The limits of ${owner} are changed.` })
    onClose()
  }
  return (
    <FormDialog
      title={`Limits of ${owner}`}
      action="Save"
      disabled={Object.keys(typed).length === 0}
      run={run}
      onClose={onClose}
    >
      <p className={styles.soft}>
        A number, a size such as 10 GB, or “none”. An empty field means the default. Nothing that exists is
        deleted.
      </p>
      {limits.map(({ name, allowed, is_own, default: byDefault, used }) => (
        <Field
          key={name}
          label={labels[name]}
          autoComplete="off"
          maxLength={40}
          placeholder={`Default: ${writeLimit(name, byDefault)}`}
          hint={`${writeLimit(name, used)} used`}
          value={typed[name] ?? (is_own ? writeLimit(name, allowed) : '')}
          onChange={event => setTyped({ ...typed, [name]: event.target.value })}
        />
      ))}
      {orgs.length > 0 && (
        <p className={styles.soft}>
          Organizations have limits of their own:{' '}
          {orgs.map(org => (
            <Button key={org} size="small" onClick={() => choose(org)}>
              {org}
            </Button>
          ))}
        </p>
      )}
    </FormDialog>
  )
}
