// The field for the name of a project or an org. It shows which rules the name meets while the user types.
import { codeOf } from '../api.ts'
import { asTyped, nameRules } from '../name-rules.ts'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import styles from './name-field.module.css'

const aboutTheName = new Set(['invalid_name', 'reserved_name', 'name_taken'])

/** Whether the API refused the request because of the name. */
export const isAboutTheName = (error: unknown) => aboutTheName.has(codeOf(error))

function Rules({ name }: { name: string }) {
  return (
    <ul className={styles.rules}>
      {nameRules.map(({ words, holds }) => {
        const state = name === '' ? 'open' : holds(name) ? 'met' : 'broken'
        return (
          <li key={words} className={styles[state]}>
            <Icon name={state === 'met' ? 'check' : state === 'broken' ? 'close' : 'dot'} size={14} />
            {words}
          </li>
        )
      })}
    </ul>
  )
}

interface NameFieldProps {
  value: string
  placeholder: string
  error?: string | undefined
  onChange: (name: string) => void
}

export function NameField({ value, placeholder, error, onChange }: NameFieldProps) {
  return (
    <Field
      label="Name"
      name="name"
      data-autofocus
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={60}
      placeholder={placeholder}
      value={value}
      error={error}
      hint={<Rules name={value} />}
      onChange={event => onChange(asTyped(event.target.value))}
    />
  )
}
