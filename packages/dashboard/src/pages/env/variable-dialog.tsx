// Adds a variable, or changes the value and the scope of one.
import type { EnvScope, EnvVar } from '@svc/contract'
import { variableProblem } from '@svc/contract/dotenv'
import { limits, platformEnvKeys } from '@svc/contract/limits'
import { useState } from 'react'
import { Field, TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ScopeField } from './scope-field.tsx'
import { setVariable, tell } from './variables.ts'

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
  const target = variable && {
    environments: variable.environments,
    branch: variable.branch,
    secret: variable.secret,
  }
  const [problem, setProblem] = useState<string>()

  async function run() {
    const wrong = keyProblem()
    setProblem(wrong)
    if (wrong !== undefined) return
    const effect = await setVariable(project, { key, value }, scope, target)
    tell(project, `${key} was ${variable ? 'changed' : 'added'}.`, effect)
    onClose()
  }

  function keyProblem(): string | undefined {
    if (key === '') return 'Give the variable a name.'
    if (platformEnvKeys.includes(key)) return `${key} is set by the platform.`
    if (!variable && known.some(other => other.key === key))
      return `There is a ${key} already. Edit that one.`
    const wrong = variableProblem({ key, value })
    return wrong && `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`
  }

  return (
    <FormDialog
      title={variable ? `Edit ${variable.key}` : 'Add a variable'}
      action={variable ? 'Save' : 'Add variable'}
      run={run}
      onClose={onClose}
    >
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
          error={problem}
          onChange={event => {
            setKey(event.target.value.trim())
            setProblem(undefined)
          }}
        />
      )}
      <TextField
        label="Value"
        name="value"
        {...(variable && { 'data-autofocus': true })}
        rows={value.includes('\n') ? 8 : 3}
        value={value}
        error={variable && problem}
        onChange={event => setValue(event.target.value)}
      />
      <ScopeField options={['runtime', 'build', 'both']} value={scope} onChange={setScope} />
    </FormDialog>
  )
}
