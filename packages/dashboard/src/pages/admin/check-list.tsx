import { Icon } from '../../components/icon.tsx'
import styles from './admin.module.css'

interface Check {
  name: string
  ok: boolean
  message: string
  /** What to do about a failure. */
  advice?: string | null
}

export function CheckList({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null
  return (
    <ul className={styles.checks}>
      {checks.map(({ name, ok, message, advice }) => (
        <li key={name} data-failed={ok ? undefined : ''}>
          <Icon name={ok ? 'check' : 'alert'} />
          <span>
            <b>{name}</b> {!ok && 'failed: '}
            {message}
            {advice && <span className={styles.advice}>{advice}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
