// A checkbox with its label.
import type { ReactNode } from 'react'
import styles from './check-field.module.css'

interface CheckFieldProps {
  name?: string
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

export const CheckField = ({ name, checked, onChange, children }: CheckFieldProps) => (
  <label className={styles.check}>
    <input type="checkbox" name={name} checked={checked} onChange={event => onChange(event.target.checked)} />
    <span>{children}</span>
  </label>
)
