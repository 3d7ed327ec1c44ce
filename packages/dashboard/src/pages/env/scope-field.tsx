// Where a variable is set, as a choice; for an import also "as they are".
import type { EnvScope } from '@svc/contract'
import { useId } from 'react'
import styles from './scope-field.module.css'

const scopes: Record<EnvScope | 'keep', { word: string; meaning: string }> = {
  keep: { word: 'Keep', meaning: 'Known variables keep their scope; new ones get Runtime.' },
  runtime: { word: 'Runtime', meaning: 'Set when your server app starts.' },
  build: { word: 'Build', meaning: 'Set while a git build runs.' },
  both: { word: 'Both', meaning: 'Set in builds and in the running app.' },
}

export const scopeWord = (scope: EnvScope): string => scopes[scope].word

interface ScopeFieldProps<S extends EnvScope | 'keep'> {
  options: readonly S[]
  value: S
  onChange: (scope: S) => void
}

export function ScopeField<S extends EnvScope | 'keep'>({ options, value, onChange }: ScopeFieldProps<S>) {
  const name = useId()
  return (
    <fieldset className={styles.field}>
      <legend>Scope</legend>
      <div className={styles.options}>
        {options.map(option => (
          <label key={option} className={styles.option}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={value === option}
              onChange={() => onChange(option)}
            />
            {scopes[option].word}
          </label>
        ))}
      </div>
      <p className={styles.meaning} aria-live="polite">
        {scopes[value].meaning}
      </p>
    </fieldset>
  )
}
