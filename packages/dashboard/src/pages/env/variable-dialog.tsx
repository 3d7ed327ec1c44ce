// Adds a variable, or changes the value, the scope and the secrecy of one.
import type { EnvScope, EnvVar } from '@svc/contract'
import { variableProblem } from '@svc/contract/dotenv'
import { limits, platformEnvKeys } from '@svc/contract/limits'
import { useState } from 'react'
import { CheckField } from '../../components/check-field.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ScopeField } from './scope-field.tsx'
import { TargetField } from './target-field.tsx'
import { setVariable, tell } from './variables.ts'
import { everywhere, isSame, type Target, variableName } from './with-variable.ts'

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
  const [target, setTarget] = useState<Target>(variable ?? everywhere)
  const [secret, setSecret] = useState(variable?.secret ?? false)
  const [problem, setProblem] = useState<string>()
  const name = variableName({ key, ...target })
  const branchProblem = problem !== undefined && target.branch === '' && key !== '' ? problem : undefined

  async function run() {
    const wrong = whatIsWrong()
    setProblem(wrong)
    if (wrong !== undefined) return
    const { environments, branch } = target
    const effect = await setVariable(project, { key, value }, scope, { environments, branch, secret })
    tell(project, `${name} was ${variable ? 'changed' : 'added'}.`, effect)
    onClose()
  }

  function whatIsWrong(): string | undefined {
    if (key === '') return 'Give the variable a name.'
    if (platformEnvKeys.includes(key)) return `${key} is set by the platform.`
    if (target.branch === '') return 'Name the branch.'
    if (!variable && known.some(other => isSame(other, { key, ...target })))
      return `${name} exists already. Edit that one.`
    const wrong = variableProblem({ key, value })
    return wrong && `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`
  }

  return (
    <FormDialog
      title={variable ? `Edit ${name}` : 'Add a variable'}
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
          autoCapitalize="characters"
          maxLength={limits.envKey}
          placeholder="API_URL"
          value={key}
          error={branchProblem === undefined ? problem : undefined}
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
      {!variable && (
        <TargetField
          value={target}
          error={branchProblem}
          onChange={chosen => {
            setTarget(chosen)
            setProblem(undefined)
          }}
        />
      )}
      <CheckField name="secret" checked={secret} onChange={setSecret}>
        Secret: never shown again, only apps and builds get it
      </CheckField>
    </FormDialog>
  )
}
