// Adds a variable, or changes the value and the scope of one.
import type { EnvScope, EnvVar } from '@svc/contract'
import { variableProblem } from '@svc/contract/dotenv'
import { limits, platformEnvKeys } from '@svc/contract/limits'
import { useState } from 'react'
import { explain } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { notify } from '../../components/toasts.tsx'
import styles from './dialogs.module.css'
import { ScopeField } from './scope-field.tsx'
import { setVariable } from './variables.ts'

interface VariableDialogProps {
  project: string
  /** The one to change; without it a new one is made. */
  variable?: EnvVar | undefined
  known: readonly EnvVar[]
  onClose: () => void
}

export function VariableDialog({ project, variable, known, onClose }: VariableDialogProps) {
  const [key, setKey] = useState(variable?.key ?? '')
  const [value, setValue] = useState(variable?.value ?? '')
  const [scope, setScope] = useState<EnvScope>(variable?.scope ?? 'runtime')
  const [error, setError] = useState<{ about: 'key' | 'all'; text: string }>()
  const [busy, setBusy] = useState(false)

  async function save() {
    const problem = keyProblem()
    setError(problem === undefined ? undefined : { about: 'key', text: problem })
    if (problem !== undefined) return
    setBusy(true)
    try {
      await setVariable(project, { key, value }, scope)
      notify({ tone: 'ok', text: `${key} was ${variable ? 'changed' : 'added'}.` })
      onClose()
    } catch (failure) {
      setError({ about: 'all', text: explain(failure) })
      setBusy(false)
    }
  }

  function keyProblem(): string | undefined {
    if (key === '') return 'Give the variable a name.'
    if (platformEnvKeys.includes(key)) return `${key} is set by the platform.`
    if (!variable && known.some(other => other.key === key))
      return `There is a ${key} already. Edit that one.`
    const problem = variableProblem({ key, value })
    return problem && `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  }

  return (
    <Dialog title={variable ? `Edit ${variable.key}` : 'Add a variable'} onClose={onClose}>
      <form
        className={styles.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void save()
        }}
      >
        {error?.about === 'all' && <Notice tone="error">{error.text}</Notice>}
        {!variable && (
          <Field
            label="Key"
            name="key"
            look="mono"
            data-autofocus
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={limits.envKey}
            placeholder="API_URL"
            value={key}
            error={error?.about === 'key' ? error.text : undefined}
            onChange={event => {
              setKey(event.target.value.trim())
              setError(undefined)
            }}
          />
        )}
        <TextField
          label="Value"
          name="value"
          {...(variable && { 'data-autofocus': true })}
          rows={value.includes('\n') ? 8 : 3}
          value={value}
          error={variable && error?.about === 'key' ? error.text : undefined}
          onChange={event => setValue(event.target.value)}
        />
        <ScopeField options={['runtime', 'build', 'both']} value={scope} onChange={setScope} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {variable ? 'Save' : 'Add variable'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
