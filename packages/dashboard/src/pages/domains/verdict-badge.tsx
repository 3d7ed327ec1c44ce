import type { Verdict } from './verdict.ts'
import styles from './verdict-badge.module.css'

export function VerdictBadge({ verdict: { word, tone } }: { verdict: Verdict }) {
  return (
    <span className={styles[tone]}>
      <span className={styles.dot} aria-hidden="true" />
      {word}
    </span>
  )
}
