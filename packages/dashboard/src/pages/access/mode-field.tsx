// The choice of an access mode, with what belongs to the chosen one below it.
import type { AccessMode } from '@svc/contract'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import styles from './mode-field.module.css'
import { modes } from './modes.ts'

interface ModeFieldProps {
  mode: AccessMode
  /** Modes that cannot be had, and why. */
  unavailable: Partial<Record<AccessMode, ReactNode>>
  onChange: (mode: AccessMode) => void
  children?: ReactNode
}

export function ModeField({ mode, unavailable, onChange, children }: ModeFieldProps) {
  return (
    <fieldset className={styles.field}>
      <legend className="visually-hidden">Who may see the site</legend>
      {modes.map(({ mode: option, icon, label, meaning }) => (
        <div key={option} className={styles.card} data-chosen={option === mode ? '' : undefined}>
          <label className={styles.option}>
            <span className={styles.icon}>
              <Icon name={icon} size={18} />
            </span>
            <span>
              <span className={styles.label}>{label}</span>
              <span className={styles.meaning}>{unavailable[option] ?? meaning}</span>
            </span>
            <input
              type="radio"
              name="mode"
              value={option}
              checked={option === mode}
              disabled={unavailable[option] !== undefined}
              onChange={() => onChange(option)}
            />
          </label>
          {option === mode && children && <div className={styles.more}>{children}</div>}
        </div>
      ))}
    </fieldset>
  )
}
