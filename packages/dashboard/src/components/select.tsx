// The browser's select element, styled for the dashboard.
import type { ReactNode, SelectHTMLAttributes } from 'react'
import { Labelled } from './field.tsx'
import { Icon } from './icon.tsx'
import styles from './select.module.css'

interface SelectProps<T extends string> extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  label: string
  value: T
  options: readonly { value: T; title: string }[]
  onChoose: (value: T) => void
}

/** Small, inside a row that says what it is about; the label is for those who do not see the row. */
export function RowSelect<T extends string>({ label, value, options, onChoose, ...rest }: SelectProps<T>) {
  return (
    <ChoiceList
      {...rest}
      aria-label={label}
      className={styles.select}
      value={value}
      options={options}
      onChoose={onChoose}
    />
  )
}

/** A select in a form, with its label above. */
export function SelectField<T extends string>({
  label,
  hint,
  ...list
}: SelectProps<T> & { hint?: ReactNode }) {
  return (
    <Labelled label={label} hint={hint}>
      {tied => <ChoiceList {...list} {...tied} className={`${styles.select} ${styles.field}`} />}
    </Labelled>
  )
}

function ChoiceList<T extends string>({ options, onChoose, ...rest }: Omit<SelectProps<T>, 'label'>) {
  return (
    <span className={styles.frame}>
      <select {...rest} onChange={event => onChoose(event.target.value as T)}>
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
      <Icon name="chevronDown" size={14} />
    </span>
  )
}
