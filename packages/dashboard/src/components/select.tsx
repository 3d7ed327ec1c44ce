// The browser's own choice list, in the console's clothes.
import type { SelectHTMLAttributes } from 'react'
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
    <span className={styles.frame}>
      <select
        {...rest}
        aria-label={label}
        className={styles.select}
        value={value}
        onChange={event => onChoose(event.target.value as T)}
      >
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
